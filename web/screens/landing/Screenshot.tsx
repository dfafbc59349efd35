import { createContext, useContext } from 'react'
import { themeNames } from '../../core/theme/theme-choice.ts'
import { type ShotName, shots } from './shots.ts'

/** Built address of each picture. */
export const PictureUrls = createContext<Readonly<Record<string, string>>>({})

/** A screenshot of the demo in the visitor's theme. Hidden pictures are not loaded. */
export function Screenshot({ of }: { of: ShotName }) {
  const urls = useContext(PictureUrls)
  return (
    <figure className="shot">
      {themeNames.map((theme) => (
        <picture key={theme} className={`shot-${theme}`}>
          <source media="(max-width: 40em)" srcSet={urls[`${of}-${theme}-narrow.webp`]} {...shots[of].narrow} />
          <img
            src={urls[`${of}-${theme}-wide.webp`]}
            {...shots[of].wide}
            alt={texts[of].alt}
            loading="lazy"
            decoding="async"
          />
        </picture>
      ))}
      <figcaption>{texts[of].caption}</figcaption>
    </figure>
  )
}

const texts: Record<ShotName, { alt: string; caption: string }> = {
  dashboard: {
    alt: 'The dashboard of Recoup: abandoned carts, recovered carts, recovered revenue and active customers, each with its trend, and a chart of abandoned and recovered carts by day.',
    caption: 'The dashboard, with sample data from the demo.',
  },
  why: {
    alt: 'A cart’s page in Recoup. The first reminder was sent: “The mail server accepted the message.” The second was cancelled, and its record is open: “The shopper has bought. No further message goes out for this cart.”',
    caption: 'A demo cart: one reminder was sent, the next one was not, and why.',
  },
}
