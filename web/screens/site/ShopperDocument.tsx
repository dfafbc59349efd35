import { useEffect } from 'react'
import { LoadingPage } from '../../core/ui/Loading.tsx'

/** The shopper's pages are another document (`web/shopper.html`), which the server sends when they are opened. */
export function ShopperDocument() {
  useEffect(() => location.reload(), [])
  return <LoadingPage />
}
