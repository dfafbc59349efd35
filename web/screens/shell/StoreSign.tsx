import { type SyntheticEvent, useState } from 'react'
import { readInitials } from './initials.ts'

/** A logo wider than this would be cut in the middle of a letter. */
const MAX_RATIO = 1.5

/** A shop's square sign: its logo on white, or its initials where there is none or it is wide. */
export function StoreSign({ name, url }: { name: string; url: string | null | undefined }) {
  const [refused, setRefused] = useState<string | null>(null)
  const isLogo = Boolean(url) && url !== refused
  const checkShape = ({ currentTarget: { naturalWidth, naturalHeight } }: SyntheticEvent<HTMLImageElement>) => {
    if (naturalWidth > MAX_RATIO * naturalHeight) setRefused(url ?? null)
  }
  return (
    <span className="store-sign" data-logo={isLogo || undefined} aria-hidden>
      {isLogo ? (
        <img src={url ?? ''} alt="" onLoad={checkShape} onError={() => setRefused(url ?? null)} />
      ) : (
        readInitials(name)
      )}
    </span>
  )
}
