async def run(): return []
