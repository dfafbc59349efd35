// Pure. Which answers belong to the store that is open.

/** Of whoever is signed in, their account or this server; every other answer belongs to the store it was asked of. */
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

/** Whether what was answered under this key is forgotten when the store is left. */
export const isOfStore = ([noun]: readonly unknown[]): boolean => !OF_NO_STORE.includes(String(noun))
