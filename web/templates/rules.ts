// What the words of a message are made of. Pure.

/** B 3's template variables, and those of the coupon. */
export const variables = [
  { name: 'customer_name', meaning: 'Name of the shopper' },
  { name: 'cart_items', meaning: 'Items in the cart, with pictures and prices' },
  { name: 'cart_total', meaning: 'Value of the cart' },
  { name: 'checkout_link', meaning: 'Link that restores the cart' },
  { name: 'store_name', meaning: 'Name of your store' },
  { name: 'discounted_total', meaning: 'Value of the cart with the coupon; without one, the value of the cart' },
  { name: 'coupon_code', meaning: 'Code of the coupon; empty without one' },
  { name: 'coupon_amount', meaning: 'What the coupon takes off, such as 10 %' },
  { name: 'coupon_expires', meaning: 'When the coupon ends' },
] as const

export interface Words {
  subject: string
  body: string
}

/** The text with a piece put over the selection, and where the caret goes. */
export function insertAt(text: string, piece: string, start: number, end: number) {
  return { text: text.slice(0, start) + piece + text.slice(end), caret: start + piece.length }
}
