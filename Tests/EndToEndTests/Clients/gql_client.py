"""A stock GraphQL client, Python gql with its WebsocketsTransport, against an obs server.

    gql_client.py URL

Subscribes to `newest` with a variable, an alias and a selection set; when the first value has come it
calls the command `add` on the same connection and prints its answer; every value of the subscription
is printed, too, one JSON line each. Ends when an item with the title `last` has come.
"""
import asyncio
import json
import sys

from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.websockets import WebsocketsTransport

NEWEST = "subscription Watch($n: Int!) { top: newest(limit: $n) { id title } }"
ADD = "mutation Add($title: String!) { add(title: $title) { id title } }"


def tell(kind, value):
    print(json.dumps([kind, value]), flush=True)


async def main(url):
    transport = WebsocketsTransport(
        url=url, subprotocols=[WebsocketsTransport.GRAPHQLWS_SUBPROTOCOL]
    )
    async with Client(transport=transport) as session:
        newest = gql(NEWEST)
        newest.variable_values = {"n": 2}
        first = True
        async for value in session.subscribe(newest):
            tell("value", value)
            if first:
                first = False
                add = gql(ADD)
                add.variable_values = {"title": "by gql"}
                tell("answer", await session.execute(add))
                try:
                    await session.execute(gql("mutation { ad(title: 1) }"))
                except TransportQueryError as error:
                    tell("error", error.errors[0]["extensions"]["code"])
            if any(item["title"] == "last" for item in value["top"]):
                break


asyncio.run(main(sys.argv[1]))
