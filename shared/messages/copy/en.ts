// Texts that the compiler of mails adds. Plurals are in ICU MessageFormat.

export const en = {
  there: 'there',
  returnToCart: 'Return to your cart',
  visitShop: 'Visit the shop',
  viewProduct: 'View',
  total: 'Total',
  subtotal: 'Subtotal',
  totalWithCoupon: 'Total with the coupon',
  coupon: 'Coupon',
  soldOut: 'Sold out',
  quantity: 'Quantity {count}',
  moreItems: '{count, plural, one {and # more item} other {and # more items}}',
  amountOff: '{amount} off',
  aDiscount: 'a discount',
  freeShipping: 'Free shipping',
  youSave: 'You save {amount}',
  validUntil: 'Valid until {date}',
  couponValidUntil: '(valid until {date})',
  reasonCart: 'You received this email because you left items in your cart at {store}.',
  reasonPerson: 'You received this email because you gave your email address to {store}.',
  unsubscribe: 'Unsubscribe',
  preferences: 'Email preferences',
  subjectCart: 'Your cart at {store}',
  subjectCoupon: 'A coupon for you at {store}',
  subjectShop: 'A message from {store}',
}

export type CopyId = keyof typeof en
export type MailCopy = Readonly<Record<CopyId, string>>
