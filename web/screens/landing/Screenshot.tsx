import { createContext, type ImgHTMLAttributes, useContext } from 'react'
import { themeNames } from '../../core/theme/theme-choice.ts'
import { isThemed, type ShotName, shots } from './shots.ts'

/** Built address of each picture. */
export const PictureUrls = createContext<Readonly<Record<string, string>>>({})

interface Props {
  of: ShotName
  /** In the first screen: it is loaded at once, in the system's theme. */
  isFirst?: boolean
}

/** A screenshot of the demo. Themed ones follow the visitor's theme; hidden pictures are not loaded. */
export function Screenshot({ of, isFirst = false }: Props) {
  return (
    <figure className={isFirst ? 'shot first' : 'shot'} data-of={of}>
      {isFirst && <Picture of={of} name={`${of}-light`} dark={`${of}-dark`} className="shot-system" />}
      {isThemed(of) ? (
        themeNames.map((theme) => (
          <Picture key={theme} of={of} name={`${of}-${theme}`} className={`shot-${theme}`} isLazy />
        ))
      ) : (
        <Picture of={of} name={of} isLazy />
      )}
      <figcaption>{texts[of].caption}</figcaption>
    </figure>
  )
}

interface PictureProps {
  of: ShotName
  name: string
  /** Loaded instead where the system is dark. */
  dark?: string
  className?: string
  isLazy?: boolean
}

function Picture({ of, name, dark, className, isLazy }: PictureProps) {
  const urls = useContext(PictureUrls)
  const { wide, narrow } = shots[of]
  const loading: ImgHTMLAttributes<HTMLImageElement> = isLazy ? { loading: 'lazy' } : { fetchPriority: 'high' }
  const DARK = '(prefers-color-scheme: dark)'
  return (
    <picture className={className}>
      {narrow && (
        <>
          {dark && <source media={`${DARK} and ${NARROW}`} srcSet={urls[`${dark}-narrow.webp`]} {...narrow} />}
          <source media={NARROW} srcSet={urls[`${name}-narrow.webp`]} {...narrow} />
        </>
      )}
      {dark && <source media={DARK} srcSet={urls[`${dark}-wide.webp`]} {...wide} />}
      <img src={urls[`${name}-wide.webp`]} {...wide} alt={texts[of].alt} decoding="async" {...loading} />
    </picture>
  )
}

const NARROW = '(max-width: 40em)'

const texts: Record<ShotName, { alt: string; caption: string }> = {
  dashboard: {
    alt: 'The dashboard of Recoup: the revenue recovered, abandoned and recovered carts, and a chart of them by day.',
    caption: 'The dashboard, with sample data from the demo.',
  },
  mail: {
    alt: 'A reminder on a phone: the shop’s logo, a greeting, and a picture of what is in the cart.',
    caption: 'The reminder, in the shop’s own colors.',
  },
  restore: {
    alt: 'The page a link in the reminder opens: the cart with its products and total, and the buttons “Continue to checkout” and “Restore Cart”.',
    caption: 'The cart, one press from the checkout.',
  },
  why: {
    alt: 'A cart’s page in Recoup. The first reminder was sent. The second was not, and its record is open: every check in order, and the one that decided.',
    caption: 'A demo cart: one reminder was sent, the next one was not, and why.',
  },
  plugin: {
    alt: 'The screen WooCommerce → Recoup in WordPress: the address of Recoup and one button, Connect.',
    caption: 'The plugin in WordPress.',
  },
}
