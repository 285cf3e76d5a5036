"""A stock GraphQL client, Python gql, on the document of an obs server by carrier documents.

    gql_document.py URL

Watches how many issues are open with a variable; a value of 1 makes it close issue i02 by a patch, a value
of 0 makes it send a patch whose test does not hold. Prints every value, answer and error, one JSON line each,
and ends when 9 are open.
"""
import asyncio
import json
import sys

from gql import Client, gql
from gql.transport.exceptions import TransportQueryError
from gql.transport.websockets import WebsocketsTransport

OPEN = """subscription Open($state: JSON) {
  open: watch(query: "length(values(issues)[?state == $s])", variables: {s: $state})
}"""
PATCH = "mutation Change($ops: JSON!) { changed: patch(ops: $ops) { seq } }"
CLOSE = [{"op": "replace", "path": "/issues/i02/state", "value": "closed"}]
STALE = [
    {"op": "remove", "path": "/issues/i01"},
    {"op": "test", "path": "/issues/i02/state", "value": "open"},
]


def tell(kind, value):
    print(json.dumps([kind, value]), flush=True)


def request(text, **variables):
    made = gql(text)
    made.variable_values = variables
    return made


async def main(url):
    transport = WebsocketsTransport(
        url=url, subprotocols=[WebsocketsTransport.GRAPHQLWS_SUBPROTOCOL]
    )
    async with Client(transport=transport) as session:
        async for value in session.subscribe(request(OPEN, state="open")):
            tell("value", value)
            if value["open"] == 1:
                tell("answer", await session.execute(request(PATCH, ops=CLOSE)))
            elif value["open"] == 0:
                try:
                    await session.execute(request(PATCH, ops=STALE))
                except TransportQueryError as error:
                    extensions = error.errors[0]["extensions"]
                    tell("error", [extensions[name] for name in ("code", "op", "pointer")])
            elif value["open"] == 9:
                break


asyncio.run(main(sys.argv[1]))
