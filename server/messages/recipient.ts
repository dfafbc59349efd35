// Who a message went to, and what is still open to them.

export { languageOf, lockShopperOf, messageOf, skipOpenTo } from './track-sql.ts'
