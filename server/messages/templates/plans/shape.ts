// The shape of a mail: which values are present, and the number of items, since a template's conditions can depend on
// them. Mails of one shape share a plan. Pure.

import type { Values } from '../values.ts'

export const computeDiscountedTotal = ({ coupon, entered, cartTotal }: Values): string =>
  (coupon ?? entered)?.total ?? cartTotal
