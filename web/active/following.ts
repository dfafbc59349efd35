import { useState } from 'react'

// Stores what this browser follows in a store, because a cart takes hours: its id, or how to recognize it.

export interface Following {
  /** Start time, server clock. */
  since?: string
  email?: string
  /** Cart id, once found. */
  id?: string
}

interface Kept {
  following: Following | null
  /** Whether the demo guide was dismissed. */
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
    // Another program's value under our key.
  }
  return { following: null }
}
