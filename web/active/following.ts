import { useState } from 'react'

// What this browser follows of a store, kept while the cart takes hours: which cart, or how it will be known.

export interface Following {
  /** When it was begun, by the server's clock. */
  since?: string
  email?: string
  /** Of the cart, once it was found. */
  id?: string
}

interface Kept {
  following: Following | null
  /** The demo's guide was put away. */
  isHidden?: boolean
}

const keyOf = (storeId: string) => `follow:${storeId}`

export function useFollowing(storeId: string) {
  const [kept, setKept] = useState<Kept>(() => read(storeId))
  const keep = (next: Kept) => {
    setKept(next)
    localStorage.setItem(keyOf(storeId), JSON.stringify(next))
  }
  return {
    following: kept.following,
    isHidden: kept.isHidden === true,
    follow: (following: Following | null) => keep({ ...kept, following }),
    hide: () => keep({ following: null, isHidden: true }),
  }
}

function read(storeId: string): Kept {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(storeId)) ?? 'null')
    if (kept && typeof kept === 'object' && 'following' in kept) return kept as Kept
  } catch {
    // Somebody else's words under our key.
  }
  return { following: null }
}
