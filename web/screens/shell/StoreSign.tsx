import { useState } from 'react'
import { readInitials } from './initials.ts'

/** A shop's square sign: its logo on white, cropped to the symbol where it is wide, otherwise its initials. */
export function StoreSign({ name, url }: { name: string; url: string | null | undefined }) {
  const [isBroken, setBroken] = useState(false)
  return (
    <span className="store-sign" data-logo={(url && !isBroken) || undefined} aria-hidden>
      {url && !isBroken ? <img src={url} alt="" onError={() => setBroken(true)} /> : readInitials(name)}
    </span>
  )
}
