import { ownLogo, productName } from './brand.ts'

/** The logo mark, an R with a returning arrow, in theme colors; `public/logo.svg` is the same for use elsewhere. */
export function LogoMark({ size = 30 }: { size?: number }) {
  if (ownLogo) return <img src={ownLogo} alt="" width={size} height={size} className="logo-mark" />
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: decoration, the name is next to it
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="logo-mark">
      <rect width="32" height="32" rx="8" fill="var(--rc-brand)" />
      <g fill="none" strokeWidth="3.1" strokeLinecap="round" strokeLinejoin="round">
        <path stroke="var(--rc-on-brand)" d="M9.9 24V8.4h7.3a4.9 4.9 0 0 1 0 9.8h-2.3" />
        <path stroke="color-mix(in srgb, var(--rc-on-brand) 55%, var(--rc-brand))" d="M18.1 14.7l-3.4 3.5 6.6 5.8" />
      </g>
    </svg>
  )
}

export function Logo({ withTagline }: { withTagline?: boolean }) {
  return (
    <span className="logo">
      <LogoMark />
      <span>
        <span className="logo-name">{productName}</span>
        {withTagline && <span className="logo-tagline">Abandoned Cart Recovery</span>}
      </span>
    </span>
  )
}
