// What somebody else does in the store's own admin, for tests: coupons made, deleted, ended and used behind an app's back, and customers who
// come by while they are signed in.
import { addCoupon, type Coupon, countUse, listCoupons, removeCoupon, saveCoupon } from './coupons.ts'
import { findCustomerByEmail, noteVisit } from './customers.ts'
import { nowSeconds, type Shop } from './shop.ts'

export type CouponsByHand = {
  /** Newest first and of every status, those whose code begins so. */
  list: (prefix?: string) => Coupon[]
  count: (prefix?: string) => number
  /** With whatever is given, such as { code: 'taken', status: 'draft' }. */
  add: (coupon: Partial<Coupon> & { code: string }) => Coupon
  edit: (code: string, change: Partial<Coupon>) => Coupon
  /** Permanently. */
  delete: (code: string) => void
  /** Its end is a second ago. */
  expire: (code: string) => void
  /** Counted as by an order, which changes no date_modified. */
  use: (code: string, email: string) => void
}
export type CustomersByHand = {
  /** A page view while signed in: moves wc_last_active, not date_modified (customers-last-active.json). */
  visit: (email: string) => void
}

export function couponsByHand(shop: Shop): CouponsByHand {
  const list = (prefix = '') => listCoupons(shop).filter(({ code }) => code.startsWith(prefix.toLowerCase()))
  const newest = (code: string) => {
    const found = list(code).find((coupon) => coupon.code === code.toLowerCase())
    if (found) return found
    throw new Error(`The demo store has no coupon ${code}.`)
  }
  const edit = (code: string, change: Partial<Coupon>) => saveCoupon(shop, { ...newest(code), ...change })
  return {
    list,
    count: (prefix) => list(prefix).length,
    add: (coupon) => addCoupon(shop, coupon),
    edit,
    delete: (code) => removeCoupon(shop, newest(code).id),
    expire: (code) => void edit(code, { expiresAt: nowSeconds(shop) - 1 }),
    use: (code, email) => countUse(shop, newest(code).id, email),
  }
}

export function customersByHand(shop: Shop): CustomersByHand {
  return {
    visit: (email) => {
      const customer = findCustomerByEmail(shop, email)
      if (!customer) throw new Error(`The demo store has no customer ${email}.`)
      noteVisit(shop, customer)
    },
  }
}
