import type { Mutation } from './mutations.ts'

// Mistakes around coupons (decisions 33 to 36): what a message with one rests on, and what is left of them in the store.

export const couponMutations: readonly Mutation[] = [
  {
    name: 'a coupon that the store has no more is advertised',
    rule: 'Coupon',
    file: 'server/carts/coupons/for-messages.ts',
    before: 'if (gone.length > 0) await sql.markGone(store, gone, of.at)',
    after: '',
    seed: 206,
  },
  {
    name: 'what the store says of a personal code is not listened to',
    rule: 'Coupon',
    file: 'server/carts/coupons/for-messages.ts',
    before: 'if (codes.length > 0) await sql.updateCodes(store, codes, of.at)',
    after: '',
    seed: 416,
  },
  {
    name: 'the store is not asked about coupons before they leave',
    rule: 'Coupon',
    file: 'server/delivery/send/send-due.ts',
    before: 'unread: await readCoupons(deps, store, ids, stepAside)',
    after: 'unread: NONE_UNREAD',
    seed: 27,
  },
  {
    name: 'a used-up coupon is advertised',
    rule: 'Coupon',
    file: 'server/carts/coupons/validity.ts',
    before: "usageCount >= usageLimit ? 'used_up' : null",
    after: 'usageCount < 0 ? null : null',
    seed: 27,
  },
  {
    name: 'what is not to leave without its coupon leaves',
    rule: 'Coupon',
    file: 'server/delivery/decide/decide.ts',
    before: "return coupon.isSkipped ? { outcome: 'skip', reason: coupon.reason } : null",
    after: 'return null',
    seed: 67,
  },
  {
    name: 'a message says its coupon’s code instead of its own',
    rule: 'Codes',
    file: 'server/delivery/compose/coupon-text.ts',
    before: '    code,\n    amount:',
    after: "    code: code.split('-').slice(0, 2).join('-'),\n    amount:",
    seed: 100,
  },
  {
    name: 'codes of messages that never left stay in the store',
    rule: 'Codes',
    file: 'server/carts/coupon-codes/codes-tidy-sql.ts',
    before: '(m.sending_at is null or upper',
    after: '(m.sending_at is not null and upper',
    seed: 147,
  },
  {
    name: 'codes that were asked for twice stay in the store',
    rule: 'Codes',
    file: 'server/carts/coupon-codes/codes-tidy.ts',
    before: 'code.attempts > (code.platform_id === null ? 0 : 1)',
    after: 'code.attempts > 1_000',
    seed: 713,
  },
  {
    name: 'the tidy job takes out the codes of messages that left',
    rule: 'Codes',
    file: 'server/carts/coupon-codes/codes-tidy-sql.ts',
    before: 'upper(m.coupon_code) is distinct from k.code',
    after: 'm.coupon_code is distinct from lower(k.code)',
    seed: 170,
  },
]
