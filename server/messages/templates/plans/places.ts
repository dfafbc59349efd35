// Where a shopper's values may stand in a mail that is planned: in its words, where the renderer leaves them as they are. Pure.
import type { Draft } from '../draft.ts'
import type { StandIns } from './stand-ins.ts'

export function arePlacesKnown(draft: Draft, signs: StandIns): boolean {
  const { filled, sanitized, links, leftOut } = draft
  // What was dropped with its tag could have decided on that tag.
  if (countsIn(filled, signs) !== countsIn(sanitized, signs)) return false
  const isUrlKnown = links.every(({ url }) => signs.numberOf(url) >= 0 || signs.placesIn(url).length === 0)
  const isLeftOutKnown = leftOut.paragraphs.every((paragraph) => signs.placesIn(paragraph).length === 0)
  return isUrlKnown && isLeftOutKnown && areTextsKnown(sanitized, signs)
}

/** How often each value stands in it. */
function countsIn(text: string, signs: StandIns): string {
  const ofShopper = signs.placesIn(text).filter(({ number }) => signs.slots[number]?.of !== 'tracked')
  return ofShopper
    .map(({ number }) => number)
    .toSorted((one, other) => one - other)
    .join()
}

/** Of clean HTML: within tags there is nothing but whole links, and words stand where nothing is made of them. */
function areTextsKnown(html: string, signs: StandIns): boolean {
  let href: string | null = null
  return html.split(/(<[^<>]*>)/).every((part) => {
    if (!part.startsWith('<')) return areWordsKnown(part, href, signs)
    const link = /^<a href="([^"]*)"/.exec(part)?.[1]
    if (part === '</a>') href = null
    else if (part.startsWith('<a')) href = link ?? ''
    const places = signs.placesIn(part)
    return places.length === 0 || (places.length === 1 && link !== undefined && signs.numberOf(link) >= 0)
  })
}

function areWordsKnown(text: string, href: string | null, signs: StandIns): boolean {
  return signs.placesIn(text).every(({ at, end, number }) => {
    if (number < 0) return false
    // Outside of a link an address becomes one.
    if (signs.isLink(number)) return href !== null
    // The text of a link that is its address as well is shown once; an address of ours is no text of anybody's.
    if (href !== null && signs.numberOf(href) < 0) return false
    return (
      !HALF_REFERENCE.test(text.slice(Math.max(0, at - 40), at)) && !REST_OF_ADDRESS.test(text.slice(end, end + 10))
    )
  })
}

/** "&am", which a value could end. */
const HALF_REFERENCE = /&[#\w]*$/
/** "ttps://", which a value could begin. */
const REST_OF_ADDRESS = /^[a-z]{0,5}:\/\//i
