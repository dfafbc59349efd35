import { Skeleton } from '@mantine/core'
import { useEffect, useState } from 'react'

/** Quiet zone in modules; cameras do not find the code without it. */
const BORDER = 4

/** Dark on light in every theme, which is what cameras read reliably. The content must also stand beside it as text. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = useModules(text)
  if (rows === 'failed') return null
  if (!rows) return <Skeleton className="qr" />
  const size = rows.length
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path className="qr-ground" d={`M0 0h${size}v${size}h-${size}z`} />
      <path className="qr-modules" d={buildPath(rows)} />
    </svg>
  )
}

/** The library is loaded only where a code is shown. */
function useModules(text: string): boolean[][] | null | 'failed' {
  const [made, setMade] = useState<{ text: string; rows: boolean[][] | 'failed' } | null>(null)
  useEffect(() => {
    let isCurrent = true
    const keep = (rows: boolean[][] | 'failed') => isCurrent && setMade({ text, rows })
    void import('qr')
      .then(({ encodeQR }) => keep(encodeQR(text, 'raw', { border: BORDER })))
      .catch(() => keep('failed'))
    return () => {
      isCurrent = false
    }
  }, [text])
  return made?.text === text ? made.rows : null
}

const buildPath = (rows: boolean[][]) =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
