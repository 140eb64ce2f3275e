"""From recipes to packs: what a model is given, in which order, within a budget; pure, the same bytes for the same input.

A recipe is data; a source is what a file, a chat or a program has to say, as items that are shown whole or not at all.
A cut is an order of the items: as many from its beginning as find room are shown, where they stood.
"""

from mdmem.context.pack import pack as pack
from mdmem.context.recipe import Recipe as Recipe
from mdmem.context.recipe import Slot as Slot
from mdmem.context.recipe import read_recipes as read_recipes
from mdmem.context.result import Left as Left
from mdmem.context.result import Pack as Pack
from mdmem.context.result import Part as Part
