"""The map of an import: which column goes into which field.

import_map.py   the map file, checked as a whole
compiler.py     its entries as values
values.py       texts with columns in them, references, lists, objects
references.py   records that are found by a name
convert.py      texts as the field's type
"""
