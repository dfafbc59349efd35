import { Anchor, Button, Card, CopyButton, Group, Stack, Text, Textarea, Title } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCircleCheck, IconClock, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { maxConsentWording } from '../../shared/consent.ts'
import type { ConsentBox, ConsentBoxes } from '../../shared/consent-box.ts'
import { capabilities } from '../../shared/platforms.ts'
import { useHasPermission, useStore } from '../access/queries.ts'
import { announce } from '../ui/announce.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { BoxCounts } from './BoxCounts.tsx'
import { BoxLanguages } from './BoxLanguages.tsx'
import { useConsentBoxes, useSaveBoxText } from './box-queries.ts'
import { boxTitles, describeBox } from './box-text.ts'

/** The consent boxes of the checkout: the code to paste, and whether the capture script has seen them. */
export function BoxSettings() {
  const boxes = useConsentBoxes()
  const store = useStore()
  const platform = store?.platform
  const isPlugin = store?.mode === 'plugin'
  if (platform && capabilities[platform].consentObjects) return <ShopAsks />
  if (boxes.isPending) return <LoadingCards count={3} rows={3} />
  if (boxes.error && !boxes.data) {
    return <Failed title="The consent boxes could not be loaded" error={boxes.error} onRetry={() => boxes.refetch()} />
  }
  return (
    <>
      <Card>
        <Title order={2}>Consent boxes on your checkout</Title>
        <Text fz="sm" c="dimmed" mt={4} maw={680}>
          {isPlugin
            ? 'The plugin shows the boxes at the checkout and in My account. Choose which ones in WordPress under WooCommerce → Recoup. The text a shopper saw is kept with the consent.'
            : 'Paste a box’s HTML into your checkout page, inside the checkout form. Leave the box unticked: only the shopper’s own tick counts as consent. It counts only with exactly this text, which is kept with the consent.'}
        </Text>
        <Text fz="sm" mt="sm">
          {boxes.data.checkoutSeenAt ? (
            <>
              {isPlugin ? 'The plugin' : 'The capture script'} last saw a checkout{' '}
              <TimeAgo at={boxes.data.checkoutSeenAt} />.
            </>
          ) : isPlugin ? (
            'No checkout has been seen yet.'
          ) : (
            <>
              The capture script has not seen a checkout yet. It reports the boxes when a shopper enters an email
              address or phone number there.{' '}
              <Anchor component={Link} to="/settings/capture-script" inherit underline="always">
                Show the script
              </Anchor>
            </>
          )}
        </Text>
      </Card>
      <BoxCounts isPlugin={isPlugin} />
      {boxes.data.boxes.map((box) => (
        <BoxCard
          key={`${box.channel} ${box.words}`}
          box={box}
          checkoutSeenAt={boxes.data.checkoutSeenAt}
          isPlugin={isPlugin}
        />
      ))}
    </>
  )
}

/** Platforms whose checkout accepts no custom HTML ask for consent themselves. */
const ShopAsks = () => (
  <Card>
    <Title order={2}>Consent on your checkout</Title>
    <Text fz="sm" c="dimmed" mt={4} maw={680}>
      Your shop’s own checkout asks for consent, and nothing can be pasted into it. Recoup reads what the shop keeps of
      each customer: their consent to email, SMS and WhatsApp goes into the ledger with its own time, and who withdraws
      it there is not written to. In Shopify, open Settings → Checkout → Marketing options to choose what is asked.
    </Text>
  </Card>
)

interface BoxCardProps {
  box: ConsentBox
  checkoutSeenAt: ConsentBoxes['checkoutSeenAt']
  isPlugin: boolean
}

function BoxCard({ box, checkoutSeenAt, isPlugin }: BoxCardProps) {
  const title = `Box for ${boxTitles[box.channel]}`
  return (
    <Card component="section" aria-label={title}>
      <Group justify="space-between" gap="xs">
        <Title order={3}>{title}</Title>
        <Seen box={box} checkoutSeenAt={checkoutSeenAt} />
      </Group>
      <Words box={box} isPlugin={isPlugin} />
      {!isPlugin && <BoxHtml box={box} />}
      <BoxLanguages box={box} isPlugin={isPlugin} />
    </Card>
  )
}

const BoxHtml = ({ box }: { box: ConsentBox }) => (
  <>
    <pre className="snippet">{box.html}</pre>
    <CopyButton value={box.html}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="sm"
          mt="sm"
          w="fit-content"
          onClick={copy}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        >
          <span aria-live="polite">{copied ? 'Copied' : `Copy HTML for ${boxTitles[box.channel]}`}</span>
        </Button>
      )}
    </CopyButton>
  </>
)

const signs = { current: IconCircleCheck, other: IconAlertTriangle, gone: IconAlertTriangle, never: IconClock } as const
const tones = { current: 'good', other: 'warn', gone: 'warn', never: 'quiet' } as const

function Seen({ box, checkoutSeenAt }: { box: ConsentBox; checkoutSeenAt: string | null }) {
  const { state, label } = describeBox(box, checkoutSeenAt)
  return (
    <Group gap="xs">
      <StatusBadge tone={tones[state]} icon={signs[state]} label={label} />
      {box.seenAt && (
        <Text fz="sm" c="dimmed">
          <TimeAgo at={box.seenAt} />
        </Text>
      )}
    </Group>
  )
}

function Words({ box, isPlugin }: { box: ConsentBox; isPlugin: boolean }) {
  const [typed, setTyped] = useState<string | null>(null)
  const save = useSaveBoxText()
  const mayChange = useHasPermission('consent:write')
  const words = typed ?? box.words
  const onSaved = () => {
    setTyped(null)
    announce(isPlugin ? 'Saved.' : 'Saved. Copy the box again: boxes with the old text no longer count.')
  }
  return (
    <Stack gap="xs" my="sm">
      <Textarea
        label={`Text of the ${boxTitles[box.channel]} box`}
        description={box.isDefault ? 'The default text.' : 'Your own text. Clear it to go back to the default.'}
        autosize
        minRows={2}
        maxLength={maxConsentWording}
        value={words}
        readOnly={!mayChange}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {mayChange && typed !== null && typed !== box.words && (
        <Group gap="xs">
          <Button
            size="sm"
            loading={save.isPending}
            onClick={() => save.mutate({ channel: box.channel, words }, { onSuccess: onSaved })}
          >
            Save text
          </Button>
          <Button size="sm" variant="default" onClick={() => setTyped(null)}>
            Discard
          </Button>
          {!isPlugin && (
            <Text fz="sm" c="dimmed">
              You then need to replace the box on your checkout.
            </Text>
          )}
        </Group>
      )}
      {save.error && (
        <Notice tone="bad" title="The text could not be saved" isLive>
          {save.error.message}
        </Notice>
      )}
    </Stack>
  )
}
