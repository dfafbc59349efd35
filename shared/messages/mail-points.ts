import type { Leaf } from './mail-document.ts'

type Point = Extract<Leaf, { type: 'trust' }>['points'][number]

/** The titles of the ready designs. Their owner has not answered them yet. */
const readyTitles: ReadonlySet<string> = new Set([
  'Shipping',
  'Returns',
  'Questions',
  'Versand',
  'Rückgabe',
  'Fragen',
  'Envío',
  'Devoluciones',
  'Preguntas',
  'Livraison',
  'Retours',
  'Spedizione',
  'Resi',
  'Domande',
  'Verzending',
  'Retourneren',
  'Vragen',
  'Dostawa',
  'Zwroty',
  'Pytania',
  'Envio',
  'Devoluções',
  'Perguntas',
])

/** The promises that a mail shows: a ready title only with its answer, a title of the owner's own also without. */
export const listShownPoints = (points: readonly Point[]): Point[] =>
  points.filter(({ title, text }) => text.trim() !== '' || (title.trim() !== '' && !readyTitles.has(title.trim())))
