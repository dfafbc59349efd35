import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { pushTexts, testSent } from '../../../shared/delivery/push.ts'
import { subscribeThisBrowser } from '../../kits/push/this-browser.ts'
import { Outcome, Section } from './parts.tsx'
import { type PushSetup, useSendHere, useSendToAll } from './queries.ts'
import { createFailure, describeReach, type PushActionResult, succeeded, toFailure } from './rules.ts'

interface Props {
  storeUrl: string
  setup: PushSetup | null
  content: { title: string; body: string }
  isFixed: boolean
}

/** Sends a test to one's own browser or to all subscribers (decision 79). */
export function TestCard({ storeUrl, setup, content, isFixed }: Props) {
  const [cartUrl, setCartUrl] = useState('')
  const [icon, setIcon] = useState('')
  const { result, isBusy, sendToAll, sendHere } = useTest({ storeUrl, ...content, cartUrl, icon }, setup)
  const isDisabled = isFixed || isBusy || storeUrl.trim() === ''
  return (
    <Section id="test" title="Test notification" text="Uses the title and body above." isPart>
      <div className="push-pair">
        <TextInput
          type="url"
          label="Cart URL (optional)"
          description="A page of your store; the home page if empty"
          value={cartUrl}
          disabled={isFixed}
          onChange={(event) => setCartUrl(event.currentTarget.value)}
        />
        <TextInput
          type="url"
          label="Icon URL (optional)"
          description="A square picture; your logo if empty"
          value={icon}
          disabled={isFixed}
          onChange={(event) => setIcon(event.currentTarget.value)}
        />
      </div>
      <div className="push-ways">
        <Button disabled={isDisabled} onClick={sendHere}>
          Send to this browser only
        </Button>
        <Button variant="default" disabled={isDisabled} onClick={sendToAll} aria-describedby="push-reach">
          Send test notification
        </Button>
        <Text fz="sm" id="push-reach">
          {describeReach(setup?.subscribers ?? 0)}
        </Text>
      </div>
      <Outcome result={result} />
    </Section>
  )
}

function useTest(content: Parameters<ReturnType<typeof useSendToAll>['mutateAsync']>[0], setup: PushSetup | null) {
  const [result, setResult] = useState<PushActionResult | null>(null)
  const [isBusy, setBusy] = useState(false)
  const toAll = useSendToAll()
  const here = useSendHere()
  const during = async (work: () => Promise<PushActionResult>) => {
    setBusy(true)
    setResult(await work().catch((error: Error) => toFailure(error)))
    setBusy(false)
  }
  return {
    result,
    isBusy,
    sendToAll: () =>
      during(async () => {
        const { results } = await toAll.mutateAsync(content)
        return succeeded(testSent(results.length))
      }),
    // Browsers ask for permission only during a user action.
    sendHere: () =>
      during(async () => {
        if (!setup?.keys) return createFailure(pushTexts.noKeys)
        const subscription = await subscribeThisBrowser(setup.keys.publicKey)
        const { success, message } = await here.mutateAsync({ ...content, subscription })
        return success ? succeeded(message) : createFailure(`Refused by this browser’s push service. ${message}`)
      }),
  }
}
