// What other rooms use: identity.

export { hasPaidByStore } from './fragments.ts'
export {
  buildAddressKey,
  buildContactKeys,
  buildCustomerMark,
  hashBrowserTokens,
  isSharedAddress,
  listTokenKeys,
  type ShopperKey,
} from './rules.ts'
export { linkCustomers, listCustomerKeys, lockAllKeys, refreshMembers, resolveShoppers } from './shoppers.ts'
export {
  buildShopperLock,
  lockShoppers,
  lockShoppersById,
  type ShopperContact,
  selectKeyOwners,
  selectMatchedEmails,
  updateShoppers,
} from './sql.ts'
