import { createContext, useContext } from 'react'
import { themeNames } from '../theme/chosen.ts'
import { shots } from './shots.ts'

/** Where the build has put each picture. */
export const PictureUrls = createContext<Readonly<Record<string, string>>>({})

/** The demo's own page, in the visitor's theme. What is not displayed is not loaded. */
export function Screenshot() {
  const urls = useContext(PictureUrls)
  return (
    <figure className="shot">
      {themeNames.map((theme) => (
        <picture key={theme} className={`shot-${theme}`}>
          <source media="(max-width: 40em)" srcSet={urls[`why-${theme}-narrow.webp`]} {...shots.narrow} />
          <img src={urls[`why-${theme}-wide.webp`]} {...shots.wide} alt={ALT} loading="lazy" decoding="async" />
        </picture>
      ))}
      <figcaption>A cart of the demo: one reminder was sent, the next one was not, and why.</figcaption>
    </figure>
  )
}

const ALT =
  'A cart’s page in Recoup. The first reminder was sent: “The mail server accepted the message.” The second was cancelled, and its record is open: “The shopper has bought. No further message goes out for this cart.”'
