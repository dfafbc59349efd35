import type { Mutation } from './mutations.ts'

// Mistakes in coupons (decisions 33 to 36): coupons of messages, and codes left in the store.

export const couponMutations: readonly Mutation[] = [
  {
    name: 'a coupon that the store has deleted is sent',
    rule: 'Coupon',
    file: 'server/carts/coupons/for-messages.ts',
    before: 'if (missing.length > 0) await sql.markMissing(store, missing, of.at)',
    after: '',
    seed: 206,
  },
  {
    name: 'the store’s reply about a personal code is ignored',
    rule: 'Coupon',
    file: 'server/carts/coupons/for-messages.ts',
    before: 'if (codes.length > 0) await sql.updateCodes(store, codes, of.at)',
    after: '',
    seed: 416,
  },
  {
    name: 'coupons are not checked with the store before the send',
    rule: 'Coupon',
    file: 'server/delivery/send/send-due.ts',
    before: 'unread: await readCoupons(deps, store, ids, releaseSlot)',
    after: 'unread: NONE_UNREAD',
    seed: 27,
  },
  {
    name: 'a used-up coupon is sent',
    rule: 'Coupon',
    file: 'server/carts/coupons/validity.ts',
    before: "usageCount >= usageLimit ? 'used_up' : null",
    after: 'usageCount < 0 ? null : null',
    seed: 27,
  },
  {
    name: 'a message that requires its coupon is sent without it',
    rule: 'Coupon',
    file: 'server/delivery/decide/decide.ts',
    before: "return coupon.isSkipped ? { outcome: 'skip', reason: coupon.reason } : null",
    after: 'return null',
    seed: 67,
  },
  {
    name: 'a message shows the coupon’s code instead of its personal code',
    rule: 'Codes',
    file: 'server/delivery/compose/coupon-text.ts',
    before: '    code,\n    amount:',
    after: "    code: code.split('-').slice(0, 2).join('-'),\n    amount:",
    seed: 100,
  },
  {
    name: 'codes of unsent messages stay in the store',
    rule: 'Codes',
    file: 'server/carts/coupon-codes/codes-tidy.ts',
    before: '(m.sending_at is null or upper',
    after: '(m.sending_at is not null and upper',
    seed: 147,
  },
  {
    name: 'codes that were requested twice stay in the store',
    rule: 'Codes',
    file: 'server/carts/coupon-codes/codes-tidy.ts',
    before: 'code.attempts > (code.platform_id === null ? 0 : 1)',
    after: 'code.attempts > 1_000',
    seed: 713,
  },
  {
    name: 'the cleanup job deletes codes of sent messages',
    rule: 'Codes',
    file: 'server/carts/coupon-codes/codes-tidy.ts',
    before: 'upper(m.coupon_code) is distinct from k.code',
    after: 'm.coupon_code is distinct from lower(k.code)',
    seed: 170,
  },
]
