import { useState } from 'react'

// Stores what this browser follows in a store, because a cart takes hours: its id, or how to recognize it.

export interface Following {
  /** Start time, server clock. */
  since?: string
  email?: string
  /** Cart id, once found. */
  id?: string
}

interface SavedFollowing {
  following: Following | null
  /** Whether the demo guide was dismissed. */
  isHidden?: boolean
}

const buildStorageKey = (storeId: string) => `follow:${storeId}`

export function useFollowing(storeId: string) {
  const [saved, setSaved] = useState<SavedFollowing>(() => loadFollowing(storeId))
  const saveFollowing = (next: SavedFollowing) => {
    setSaved(next)
    localStorage.setItem(buildStorageKey(storeId), JSON.stringify(next))
  }
  return {
    following: saved.following,
    isHidden: saved.isHidden === true,
    follow: (following: Following | null) => saveFollowing({ ...saved, following }),
    hide: () => saveFollowing({ following: null, isHidden: true }),
  }
}

function loadFollowing(storeId: string): SavedFollowing {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(buildStorageKey(storeId)) ?? 'null')
    if (saved && typeof saved === 'object' && 'following' in saved) return saved as SavedFollowing
  } catch {
    // Another program's value under our key.
  }
  return { following: null }
}
