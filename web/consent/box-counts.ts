import { type BoxCount, type BoxPlace, boxChannels, boxPlaces, languageName } from '../../shared/consent-box.ts'

// Table rows of how many shoppers tick a consent box. Pure.

export const placeTexts: Readonly<Record<BoxPlace, string>> = {
  block: 'Block checkout',
  classic: 'Classic checkout',
  account: 'My account',
  page: 'Checkout with the capture script',
}

export interface CountLine {
  /** Language of the text, for a line within a row. */
  language: string | null
  /** null: the store reported only shoppers who agreed. */
  shown: number | null
  ticked: number
  /** Share of the shoppers who saw the box; null if none did. */
  share: number | null
}

export interface CountRow extends CountLine {
  key: string
  channel: BoxCount['channel']
  place: BoxPlace
  /** Whether shoppers saw the box with more than one text. */
  lines: CountLine[]
}

export function buildCountRows(counts: readonly BoxCount[]): CountRow[] {
  return boxChannels.flatMap((channel) =>
    boxPlaces.flatMap((place): CountRow[] => {
      const found = counts.filter((each) => each.channel === channel && each.place === place)
      if (found.length === 0) return []
      const lines = found.length > 1 ? found.map((each) => buildLine([each], formatLanguage(each.language))) : []
      return [{ key: `${channel} ${place}`, channel, place, ...buildLine(found, null), lines }]
    }),
  )
}

function buildLine(counts: readonly BoxCount[], language: string | null): CountLine {
  const sum = (name: 'shown' | 'ticked' | 'tickedAlone') => counts.reduce((all, each) => all + each[name], 0)
  const shown = sum('shown')
  if (shown === 0) return { language, shown: null, ticked: sum('tickedAlone'), share: null }
  return { language, shown, ticked: sum('ticked'), share: sum('ticked') / shown }
}

function formatLanguage(language: BoxCount['language']): string {
  if (language === null) return 'Earlier texts'
  return language === '' ? 'Main text' : languageName(language)
}

/** Ticks not included in the share. */
export const countTicksApart = (counts: readonly BoxCount[]): number =>
  buildCountRows(counts).reduce((all, { channel, place, shown }) => {
    const found = counts.filter((each) => each.channel === channel && each.place === place)
    return shown === null ? all : all + found.reduce((sum, each) => sum + each.tickedAlone, 0)
  }, 0)
