// Which of a mail's values are there, and how many items: what a template's conditions can ask. Mails of one shape are planned alike. Pure.

import type { Values } from '../values.ts'

export const computeDiscountedTotal = ({ coupon, entered, cartTotal }: Values): string =>
  (coupon ?? entered)?.total ?? cartTotal
