import { Button, List, TextInput } from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Link } from 'react-router'
import { pushTexts } from '../../../shared/delivery/push.ts'
import { easyCode } from './code.ts'
import { CodeBox, Outcome, Section } from './parts.tsx'
import { type PushSetup, useGenerateKeys } from './queries.ts'
import { createFailure, type PushActionResult, succeeded, toFailure } from './rules.ts'

interface Props {
  storeUrl: string
  onStoreUrl: (url: string) => void
  setup: PushSetup | null
  /** Whether settings can be changed: a store is connected and the role allows it. */
  isFixed: boolean
}

/** Keys and widget code (A 2.9). */
export function StoreCard({ storeUrl, onStoreUrl, setup, isFixed }: Props) {
  const generate = useGenerateKeys()
  const [result, setResult] = useState<PushActionResult | null>(null)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    generate.mutate(
      { storeUrl },
      { onSuccess: () => setResult(succeeded(pushTexts.keysMade)), onError: (error) => setResult(toFailure(error)) },
    )
  }
  // Enter does not submit a form whose submit button is disabled.
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && storeUrl.trim() === '') setResult(createFailure(pushTexts.noStoreUrl))
  }
  const code = setup?.keys
    ? easyCode({ origin: location.origin, storeKey: setup.storeKey, storeUrl: setup.storeUrl })
    : null
  return (
    <Section id="store" title="Store and widget code">
      <form onSubmit={submit} noValidate>
        <div className="push-section" style={{ marginTop: 0 }}>
          <TextInput
            type="url"
            label="Store URL"
            placeholder="https://your-store.com"
            value={storeUrl}
            disabled={isFixed}
            onChange={(event) => onStoreUrl(event.currentTarget.value)}
            onKeyDown={pressed}
          />
          <div className="push-ways">
            <Button type="submit" loading={generate.isPending} disabled={isFixed || storeUrl.trim() === ''}>
              Generate VAPID keys and widget code
            </Button>
          </div>
        </div>
      </form>
      <CodeBox
        code={code}
        name="Widget code"
        label="Copy widget code"
        copied="Widget code copied to clipboard"
        missing="Generate the keys to see the code of your widget."
        onResult={setResult}
      />
      <Outcome result={result} />
    </Section>
  )
}

export const SetupSteps = () => (
  <Section id="steps" title="Setup instructions">
    <List type="ordered" spacing="xs" fz="sm">
      <List.Item>Enter your store’s address and generate the VAPID keys.</List.Item>
      <List.Item>
        Add the widget and the service worker to your shop. The plugin includes both;{' '}
        <Link to="/push-setup">Push Notification Integration</Link> has the code.
      </List.Item>
      <List.Item>
        Open a page of your shop, add something to the cart and wait for the prompt. The live check shows when your shop
        was seen.
      </List.Item>
      <List.Item>Set timing and text, then turn notifications on.</List.Item>
      <List.Item>Send a test to this browser first.</List.Item>
    </List>
  </Section>
)
