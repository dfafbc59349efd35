import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'

/** Reads the checkout session from the address and removes it there at once. */
export function useCheckoutSession(name: 'session_id' | 'credits'): string | null {
  const [search, setSearch] = useSearchParams()
  const named = search.get(name)
  const [id, setId] = useState(named)
  if (named !== null && named !== id) setId(named)
  useEffect(() => {
    if (named === null) return
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        next.delete(name)
        return next
      },
      { replace: true },
    )
  }, [name, named, setSearch])
  return id
}
