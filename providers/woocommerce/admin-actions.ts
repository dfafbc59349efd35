// Actions of another user in the store's admin, for tests: creates, deletes, expires and uses coupons without the app,
// and records visits of signed-in customers.
import { addCoupon, type Coupon, countUse, listCoupons, removeCoupon, saveCoupon } from './coupons.ts'
import { findCustomerByEmail, recordVisit } from './customers.ts'
import { readSeconds, type Shop } from './shop.ts'

export type CouponAdmin = {
  /** Coupons of any status whose code has this prefix, newest first. */
  list: (prefix?: string) => Coupon[]
  count: (prefix?: string) => number
  /** Adds a coupon with these fields, such as { code: 'taken', status: 'draft' }. */
  add: (coupon: Partial<Coupon> & { code: string }) => Coupon
  edit: (code: string, change: Partial<Coupon>) => Coupon
  /** Deletes permanently. */
  delete: (code: string) => void
  /** Sets the expiry to one second ago. */
  expire: (code: string) => void
  /** Counts a use like an order, without changing date_modified. */
  use: (code: string, email: string) => void
}
export type CustomerAdmin = {
  /** A page view while signed in updates wc_last_active, not date_modified (customers-last-active.json). */
  visit: (email: string) => void
}

export function createCouponAdmin(shop: Shop): CouponAdmin {
  const list = (prefix = '') => listCoupons(shop).filter(({ code }) => code.startsWith(prefix.toLowerCase()))
  const findNewest = (code: string) => {
    const found = list(code).find((coupon) => coupon.code === code.toLowerCase())
    if (found) return found
    throw new Error(`The demo store has no coupon ${code}.`)
  }
  const edit = (code: string, change: Partial<Coupon>) => saveCoupon(shop, { ...findNewest(code), ...change })
  return {
    list,
    count: (prefix) => list(prefix).length,
    add: (coupon) => addCoupon(shop, coupon),
    edit,
    delete: (code) => removeCoupon(shop, findNewest(code).id),
    expire: (code) => void edit(code, { expiresAt: readSeconds(shop) - 1 }),
    use: (code, email) => countUse(shop, findNewest(code).id, email),
  }
}

export function createCustomerAdmin(shop: Shop): CustomerAdmin {
  return {
    visit: (email) => {
      const customer = findCustomerByEmail(shop, email)
      if (!customer) throw new Error(`The demo store has no customer ${email}.`)
      recordVisit(shop, customer)
    },
  }
}
