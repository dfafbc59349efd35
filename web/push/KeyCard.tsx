import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { pushTexts } from '../../shared/push.ts'
import { formatCounted } from '../ui/format.ts'
import { formatDateTime } from '../ui/times.ts'
import { Outcome, Section } from './parts.tsx'
import { type PushSetup, type Replace, useGenerateKeys } from './queries.ts'
import { RegenerateDialog } from './RegenerateDialog.tsx'
import { createFailure, type PushActionResult, succeeded } from './rules.ts'

interface Props {
  setup: PushSetup | null
  isFixed: boolean
  mayReplace: boolean
}

/** Step 1 (A 2.10). */
export function KeyCard({ setup, isFixed, mayReplace }: Props) {
  const [isAsked, setAsked] = useState(false)
  const [result, setResult] = useState<PushActionResult | null>(null)
  const generate = useGenerateKeys()
  const keys = setup?.keys ?? null
  const run = (replace?: Replace) =>
    generate.mutate(
      { storeUrl: setup?.storeUrl ?? '', ...(replace && { replace }) },
      {
        onSuccess: () => setResult(succeeded(pushTexts.keysMade)),
        onError: () => setResult(createFailure(pushTexts.keysFailed)),
        onSettled: () => setAsked(false),
      },
    )
  return (
    <Section
      id="key"
      title="Step 1: VAPID public key"
      text="Browsers tie a subscription to this key: only who has its private half, which stays encrypted with Recoup, can send to it."
    >
      {keys ? <p className="push-key">{keys.publicKey}</p> : <Text fz="sm">There is no key yet.</Text>}
      {keys?.older.map(({ madeAt, endsAt, subscriptions }) => (
        <Text key={madeAt} fz="sm" c="dimmed">
          An older key still has {formatCounted(subscriptions, 'subscription')}. It ends on {formatDateTime(endsAt)}.
        </Text>
      ))}
      <div className="push-ways">
        {keys ? (
          <Button variant="default" disabled={isFixed || !mayReplace} onClick={() => setAsked(true)}>
            Regenerate
          </Button>
        ) : (
          <Button loading={generate.isPending} disabled={isFixed} onClick={() => run()}>
            Generate
          </Button>
        )}
        {keys && !isFixed && !mayReplace && <Text fz="sm">{pushTexts.leadersOnly}</Text>}
      </div>
      <Outcome result={result} />
      {keys && (
        <RegenerateDialog
          keys={keys}
          opened={isAsked}
          isBusy={generate.isPending}
          onReplace={run}
          onClose={() => setAsked(false)}
        />
      )}
    </Section>
  )
}
