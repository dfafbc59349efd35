// Pure. Which cached answers belong to the current store.

/** Keys about the user, the account or the server; all others belong to a store. */
const OF_NO_STORE = [
  'me',
  'subscription',
  'connection',
  'instance',
  'team',
  'accounts',
  'sessions',
  'invitation',
  'channels',
  'sending-budget',
]

/** Whether answers under this key are dropped when the store changes. */
export const belongsToStore = ([noun]: readonly unknown[]): boolean => !OF_NO_STORE.includes(String(noun))
