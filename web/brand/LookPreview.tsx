import { Card, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { type BrandLook, lookProblems } from '../../shared/brand.ts'
import type { BrandView } from '../../shared/brand-calls.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingMail } from '../ui/Loading.tsx'
import { MessageShown } from '../words/MessageShown.tsx'
import { useLookPreview } from './queries.ts'
import { normalizeLook } from './rules.ts'

const PAUSE_MS = 300

/**
 * A mail rendered by the sending code with the unsaved settings. Keeps the last preview if the settings are invalid.
 */
export function LookPreview({ storeId, view, look }: { storeId: string; view: BrandView; look: BrandLook }) {
  const shown = useLastUsable(look, view.look)
  const [settled] = useDebouncedValue(shown, PAUSE_MS)
  const preview = useLookPreview(storeId, settled, view.logo?.path ?? null)
  return (
    <Card component="section" aria-label="Preview" className="brand-preview">
      <Title order={2} mb="md">
        Preview
      </Title>
      {preview.data ? (
        <MessageShown
          channel="email"
          message={preview.data}
          isStale={preview.isPlaceholderData || settled !== shown}
          height={760}
        />
      ) : preview.error ? (
        <Failed title="The preview could not be made" error={preview.error} onRetry={() => preview.refetch()} />
      ) : (
        <LoadingMail />
      )}
    </Card>
  )
}

/** An incomplete color keeps the last preview. */
function useLastUsable(look: BrandLook, saved: BrandLook): BrandLook {
  const isUsable = Object.keys(lookProblems(look)).length === 0
  const text = JSON.stringify(normalizeLook(look))
  const [last, setLast] = useState(JSON.stringify(saved))
  if (isUsable && text !== last) setLast(text)
  return useMemo(() => JSON.parse(last), [last])
}
