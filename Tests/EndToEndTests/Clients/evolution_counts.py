"""What the proposals of Swift Evolution come to, counted by Python alone.

    evolution_counts.py swift-evolution.json

Prints one JSON object: how many proposals there are, how many in each state, and which are in review.
"""
import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    proposals = json.load(file)["proposals"]
states = collections.Counter(proposal["state"] for proposal in proposals.values())
review = [key for key in sorted(proposals) if proposals[key]["state"] == "active review"]
print(json.dumps({"count": len(proposals), "states": states, "review": review}))
