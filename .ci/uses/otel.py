"""A span for each call, with the provider that the program has set."""

import asyncio
from typing import Any

from opentelemetry import trace

import wosdk_async as wosdk

names = []


class Tracer(trace.NoOpTracer):
    def start_span(self, name: str, *args: Any, **options: Any) -> trace.Span:
        names.append(name)
        return super().start_span(name, *args, **options)


class Provider(trace.NoOpTracerProvider):
    def get_tracer(self, *args: Any, **options: Any) -> Tracer:
        return Tracer()


async def main() -> None:
    async with wosdk.Client.from_env() as client:
        await client.company().get(wosdk.Customer, 512)


trace.set_tracer_provider(Provider())
asyncio.run(main())
assert names, "no spans"
