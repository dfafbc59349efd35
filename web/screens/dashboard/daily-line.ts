// Geometry of the hero's daily line: straight segments from zero. Pure.

interface Point {
  x: number
  y: number
}

interface DailyLine {
  points: Point[]
  path: string
  area: string
  /** Where today's part begins. */
  todayX: number
  /** Place of the largest amount. */
  highest: number
}

/** The stroke is not cut off at the top. */
const TOP = 4

/** null: nothing to draw. */
export function buildDailyLine(
  amounts: readonly number[],
  { width, height }: { width: number; height: number },
): DailyLine | null {
  if (amounts.length < 2) return null
  const max = Math.max(...amounts)
  const step = width / (amounts.length - 1)
  const points = amounts.map((amount, place) => ({
    x: round(place * step),
    // Refunds can exceed a day's revenue.
    y: round(max > 0 ? height - (Math.max(0, amount) / max) * (height - TOP) : height),
  }))
  const path = points.map(({ x, y }, place) => `${place === 0 ? 'M' : 'L'}${x} ${y}`).join('')
  return {
    points,
    path,
    area: `${path}L${width} ${height}L0 ${height}Z`,
    todayX: points.at(-2)!.x,
    highest: amounts.indexOf(max),
  }
}

const round = (value: number) => Math.round(value * 10) / 10
