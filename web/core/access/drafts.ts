import { useEffect, useRef } from 'react'
import { loadUser, session } from '../session/session.ts'

// Keeps form input when a session expires (decision 2), so the form is filled again after signing in. In memory only;
// nothing is stored.

const drafts = new Map<string, { userId: string | undefined; typed: unknown }>()

/**
 * `typed` returns the unsaved input or null; `restore` receives it when the same user is back. `name` identifies the
 * form and its subject, such as `flow:<id>`. Never use it for passwords.
 */
export function useDraft<Typed>(name: string, typed: Typed | null, restore: (typed: Typed) => void): void {
  const latest = useRef<{ typed: Typed | null; restore: (typed: Typed) => void; userId: string | undefined }>({
    typed,
    restore,
    userId: undefined,
  })
  useEffect(() => {
    // The user may become known only after the form opened, and is forgotten with the session.
    latest.current = { typed, restore, userId: loadUser()?.id ?? latest.current.userId }
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
