import type { BlockType } from './fields.ts'

// What the menus for new blocks offer. Pure.

export interface BlockChoice {
  type: BlockType | 'band'
  name: string
  hint: string
  attrs?: Record<string, unknown>
  /** Further words to find it by. */
  words?: string
}

export const blockChoices: readonly BlockChoice[] = [
  { type: 'text', name: 'Text', hint: 'A paragraph', words: 'paragraph words' },
  { type: 'heading', name: 'Heading', hint: 'A large line', words: 'title headline' },
  { type: 'heading', name: 'Small heading', hint: 'Above a part', attrs: { level: 2 }, words: 'subtitle' },
  { type: 'image', name: 'Image', hint: 'A picture you upload', words: 'photo picture' },
  { type: 'button', name: 'Button', hint: 'Leads back to the cart', words: 'link checkout' },
  { type: 'items', name: 'Cart items', hint: 'The first one large', words: 'products list goods' },
  {
    type: 'items',
    name: 'Cart items as a list',
    hint: 'One below the other',
    attrs: { layout: 'list' },
    words: 'products goods',
  },
  {
    type: 'items',
    name: 'Cart items as a grid',
    hint: 'Two beside each other',
    attrs: { layout: 'grid' },
    words: 'products goods',
  },
  { type: 'totals', name: 'Total', hint: 'Value of the cart', words: 'sum price' },
  { type: 'coupon', name: 'Coupon', hint: 'Code, saving and expiry', words: 'discount code' },
  { type: 'product', name: 'Product', hint: 'One from your store', words: 'recommend' },
  { type: 'trust', name: 'Promises', hint: 'Shipping, returns, help', words: 'trust guarantee' },
  { type: 'columns', name: 'Two columns', hint: 'Blocks beside each other', words: 'layout' },
  { type: 'divider', name: 'Line', hint: 'Between two parts', words: 'divider separator rule' },
  { type: 'spacer', name: 'Space', hint: 'Empty space', words: 'gap' },
  { type: 'social', name: 'Social links', hint: 'From your brand', words: 'instagram facebook' },
  { type: 'band', name: 'Section', hint: 'With a background of its own', words: 'band colour color background' },
]

export function findChoices(query: string): BlockChoice[] {
  const typed = query.trim().toLowerCase()
  const isStart = (text: string) => text.split(' ').some((word) => word.startsWith(typed))
  return blockChoices.filter(
    ({ name, words = '' }) => name.toLowerCase().startsWith(typed) || isStart(`${name} ${words}`.toLowerCase()),
  )
}
