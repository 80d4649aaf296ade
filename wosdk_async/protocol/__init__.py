"""What is sent and what a response means; no input, no output.

calls.py, commands.py, entities.py   a verb becomes a Call
content.py, uploads.py               paths and bodies
updates.py, difference.py            what an update writes; elements.py for lists
validation/                          mistakes told before anything is sent
wire_compat.py                       forms that both sources of the service's rules accept
wire.py, envelopes.py                a response becomes a value, a refusal, or a doubt
"""
