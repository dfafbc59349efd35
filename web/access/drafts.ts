import { useEffect, useRef } from 'react'
import { session, storedUser } from './session.ts'

// What was typed when a session ended by itself (decision 2). Signing in again leads back to the page, and there it is typed already.
// It lives as long as the document: nothing of it is stored.

const drafts = new Map<string, { userId: string | undefined; typed: unknown }>()

/**
 * `typed`: what would be lost now, null when there is nothing; `restore` is given it when its user is back. `name` is the form's own, such
 * as `flow:<id>`: what it belongs to is part of it. No passwords.
 */
export function useDraft<Typed>(name: string, typed: Typed | null, restore: (typed: Typed) => void): void {
  const latest = useRef<{ typed: Typed | null; restore: (typed: Typed) => void; userId: string | undefined }>({
    typed,
    restore,
    userId: undefined,
  })
  useEffect(() => {
    // Who it is may become known only while the form is open, and is forgotten with the session.
    latest.current = { typed, restore, userId: storedUser()?.id ?? latest.current.userId }
  })
  useEffect(() => {
    const draft = drafts.get(name)
    drafts.delete(name)
    if (draft && draft.userId === latest.current.userId) latest.current.restore(draft.typed as Typed)
    return () => {
      const { typed, userId } = latest.current
      if (session().farewell === 'expired' && typed !== null) drafts.set(name, { userId, typed })
    }
  }, [name])
}
