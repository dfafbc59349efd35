import { Anchor, Button, Card, CopyButton, Group, Select, Stack, Table, Text, Textarea, Title } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCheckbox, IconCircleCheck, IconClock, IconCopy } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { Link } from 'react-router'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import type { ConsentChannel } from '../../../shared/shoppers/consent.ts'
import { maxConsentWording } from '../../../shared/shoppers/consent.ts'
import type { ConsentBox, ConsentBoxes } from '../../../shared/shoppers/consent-box.ts'
import {
  type BoxCount,
  type BoxPlace,
  boxChannels,
  boxCountDays,
  boxLanguages,
  boxPlaces,
  type ConsentBoxCounts,
  consentBoxCounts,
  consentBoxes,
  getLanguageName,
  saveBoxText,
} from '../../../shared/shoppers/consent-box.ts'
import { useHasPermission, useStore } from '../../core/access/queries.ts'
import { call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted, formatNames } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards, LoadingRows } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { usePlugin } from '../stores/plugin-queries.ts'

/** The consent boxes of the checkout: the code to paste, and whether the tracking script has seen them. */
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
            ? 'The plugin shows the boxes at the checkout and in My account. Choose which ones in WordPress under WooCommerce → Recoup. The text is stored with each consent.'
            : 'Paste a box’s HTML into your checkout page, inside the checkout form. Leave the box unticked: only the shopper’s own tick counts as consent. It counts only with exactly this text, which is stored with the consent.'}
        </Text>
        <Text fz="sm" mt="sm">
          {boxes.data.checkoutSeenAt ? (
            <>
              {isPlugin ? 'The plugin' : 'The tracking script'} last saw a checkout{' '}
              <TimeAgo at={boxes.data.checkoutSeenAt} />.
            </>
          ) : isPlugin ? (
            'No checkout has been seen yet.'
          ) : (
            <>
              The tracking script has not seen a checkout yet. It reports the boxes when a shopper enters an email
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
      Your shop’s own checkout asks for consent. Recoup imports each customer’s consent to email, SMS and WhatsApp with
      its time, and contacts no one who withdraws it. In Shopify, choose what is asked under Settings → Checkout →
      Marketing options.
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
        <BoxState box={box} checkoutSeenAt={checkoutSeenAt} />
      </Group>
      <TextField box={box} isPlugin={isPlugin} />
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

function BoxState({ box, checkoutSeenAt }: { box: ConsentBox; checkoutSeenAt: string | null }) {
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

function TextField({ box, isPlugin }: { box: ConsentBox; isPlugin: boolean }) {
  const [typed, setTyped] = useState<string | null>(null)
  const save = useSaveBoxText()
  const mayChange = useHasPermission('consent:write')
  const text = typed ?? box.words
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
        value={text}
        readOnly={!mayChange}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {mayChange && typed !== null && typed !== box.words && (
        <Group gap="xs">
          <Button
            size="sm"
            loading={save.isPending}
            onClick={() => save.mutate({ channel: box.channel, words: text }, { onSuccess: onSaved })}
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

/** How many shoppers tick the consent boxes, by place and text. */
function BoxCounts({ isPlugin }: { isPlugin: boolean }) {
  const counts = useConsentBoxCounts()
  return (
    <Card component="section" aria-labelledby="box-counts">
      <Title order={2} id="box-counts">
        How many shoppers tick the boxes
      </Title>
      <Text fz="sm" c="dimmed" mt={4} maw={680}>
        In the last {boxCountDays} days
      </Text>
      <Loaded query={counts} loading={<LoadingRows count={2} />} failed="The counts could not be loaded">
        {(data) =>
          data.counts.length === 0 ? <NoCounts mode={data.mode} isPlugin={isPlugin} /> : <Counts {...data} />
        }
      </Loaded>
    </Card>
  )
}

function NoCounts({ mode, isPlugin }: { mode: ConsentBoxCounts['mode']; isPlugin: boolean }) {
  const plugin = usePlugin(useStore()!.id)
  const isOlder = isPlugin && plugin.data?.plugin?.showsLanguages === false
  const text = isOlder
    ? 'Update the plugin to see how many shoppers tick the boxes.'
    : mode === 'nothing'
      ? 'They appear when a shopper ticks a box.'
      : 'They appear when shoppers fill in a form that shows a box.'
  return <Empty icon={IconCheckbox} title="No figures yet" text={text} />
}

function Counts({ counts, mode }: ConsentBoxCounts) {
  const apart = countTicksApart(counts)
  return (
    <>
      <Table mt="sm" className="box-counts">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Box</Table.Th>
            <Table.Th className="number">Shoppers</Table.Th>
            <Table.Th className="number">Ticked</Table.Th>
            <Table.Th className="number">Share</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buildCountRows(counts).map(({ key, channel, place, lines, ...row }) => (
            <Fragment key={key}>
              <Table.Tr>
                <Table.Th scope="row">
                  {boxTitles[channel]}
                  <Text component="span" display="block" fz="sm" fw={400} c="dimmed">
                    {placeTexts[place]}
                  </Text>
                </Table.Th>
                <Numbers {...row} />
              </Table.Tr>
              {lines.map((line) => (
                <Table.Tr key={line.language} className="box-counts-line">
                  <Table.Th scope="row">{line.language}</Table.Th>
                  <Numbers {...line} />
                </Table.Tr>
              ))}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
      <Text fz="sm" c="dimmed" mt="sm" maw={680}>
        {mode === 'nothing'
          ? 'Recoup stores nothing before consent, so only shoppers who agreed are counted.'
          : 'Shoppers who started to fill in a form with the box. A cart counts once for each form; My account counts each time it is saved with an empty box. Shoppers who refused in your consent tool are not included.'}
        {apart > 0 &&
          ` Shares exclude ${formatCounted(apart, 'tick', 'ticks')} given while nothing was stored before consent.`}
      </Text>
    </>
  )
}

const percents = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 })

const Numbers = ({ shown, ticked, share }: CountLine) => (
  <>
    <Table.Td className="number">{shown === null ? '–' : formatCount(shown)}</Table.Td>
    <Table.Td className="number">{formatCount(ticked)}</Table.Td>
    <Table.Td className="number">{share === null ? '–' : percents.format(share)}</Table.Td>
  </>
)

type Language = (typeof boxLanguages)[number]

/** Consent texts in further languages; all other languages use the default text. */
function BoxLanguages({ box, isPlugin }: { box: ConsentBox; isPlugin: boolean }) {
  const [added, setAdded] = useState<Language | null>(null)
  const mayChange = useHasPermission('consent:write')
  const known = box.languages.map(({ language }) => language)
  const free = boxLanguages
    .filter((code) => !known.includes(code) && code !== added)
    .map((code) => ({ value: code, label: `${getLanguageName(code)}${findDraft(box, code) ? ' (draft)' : ''}` }))
    .sort((a, b) => a.label.localeCompare(b.label))
  if (!mayChange && known.length === 0) return null
  return (
    <Stack gap="xs" mt="md">
      <Title order={4} fz="md">
        Other languages
      </Title>
      <Text fz="sm" c="dimmed" maw={680}>
        {isPlugin ? <PluginLanguages /> : 'Paste each language’s HTML into the pages in that language.'}
      </Text>
      {box.languages.map((each) => (
        <LanguageText
          key={`${each.language} ${each.words}`}
          box={box}
          language={each.language}
          saved={each.words}
          isDefault={each.isDefault}
        >
          {!isPlugin && <pre className="snippet">{each.html}</pre>}
        </LanguageText>
      ))}
      {added && !known.includes(added) && (
        <LanguageText
          key={added}
          box={box}
          language={added}
          saved=""
          draft={findDraft(box, added)}
          onRemove={() => setAdded(null)}
        />
      )}
      {mayChange && box.drafts.length > 0 && (
        <Text fz="sm" maw={680}>
          No text in {formatNames(box.drafts.map(({ language }) => getLanguageName(language)))}: shoppers see the main
          text there. A draft of each is ready. It is shown only after you have approved it.
        </Text>
      )}
      {mayChange && !added && (
        <Select
          label="Add a language"
          placeholder="Choose a language"
          data={free}
          value={null}
          searchable
          w={260}
          onChange={(code) => setAdded(code as Language | null)}
        />
      )}
    </Stack>
  )
}

const findDraft = ({ drafts }: ConsentBox, code: Language) => drafts.find(({ language }) => language === code)?.words

function PluginLanguages() {
  const plugin = usePlugin(useStore()!.id)
  return plugin.data?.plugin?.showsLanguages === false
    ? 'Update the plugin to show these texts. Until then, all languages use the text above.'
    : 'The plugin shows the text in the page’s language. All other languages use the text above.'
}

interface LanguageTextProps {
  box: ConsentBox
  language: Language
  /** '': none chosen yet. */
  saved: string
  draft?: string | undefined
  isDefault?: boolean
  /** Choosing another language discards an empty one; edits must be saved first. */
  onRemove?: () => void
  children?: React.ReactNode
}

function LanguageText({ box, language, saved, draft, isDefault = false, onRemove, children }: LanguageTextProps) {
  const [typed, setTyped] = useState(draft ?? saved)
  const save = useSaveBoxText()
  const mayChange = useHasPermission('consent:write')
  const name = getLanguageName(language)
  const write = (text: string) =>
    save.mutate(
      { channel: box.channel, language, words: text },
      {
        onSuccess: () => {
          announce(text === '' ? `${name} removed.` : `${name} saved.`)
          onRemove?.()
        },
      },
    )
  const isChanged = typed.trim() !== saved && typed.trim() !== ''
  return (
    <Stack gap="xs">
      {draft !== undefined && <StatusBadge tone="warn" icon={IconAlertTriangle} label="Draft" />}
      <Textarea
        label={`Text in ${name}`}
        description={
          draft === undefined
            ? isDefault && 'The default text.'
            : 'Not shown to shoppers yet. Have it checked against the law of the country.'
        }
        lang={language}
        dir="auto"
        autosize
        minRows={2}
        maxLength={maxConsentWording}
        value={typed}
        readOnly={!mayChange}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {children}
      {mayChange && (
        <Group gap="xs">
          {isChanged && (
            <Button size="sm" loading={save.isPending} onClick={() => write(typed.trim())}>
              {draft === undefined ? 'Save' : 'Approve'} {name}
            </Button>
          )}
          <Button
            size="sm"
            variant="default"
            loading={save.isPending}
            onClick={() => (saved === '' ? onRemove?.() : write(''))}
          >
            {saved === '' ? 'Cancel' : `Remove ${name}`}
          </Button>
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

// Table rows of how many shoppers tick a consent box. Pure.

const placeTexts: Readonly<Record<BoxPlace, string>> = {
  block: 'Block checkout',
  classic: 'Classic checkout',
  account: 'My account',
  page: 'Checkout with the tracking script',
}

interface CountLine {
  /** Language of the text, for a line within a row. */
  language: string | null
  /** null: the store reported only shoppers who agreed. */
  shown: number | null
  ticked: number
  /** Share of the shoppers who saw the box; null if none did. */
  share: number | null
}

interface CountRow extends CountLine {
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
  const displayed = sum('shown')
  if (displayed === 0) return { language, shown: null, ticked: sum('tickedAlone'), share: null }
  return { language, shown: displayed, ticked: sum('ticked'), share: sum('ticked') / displayed }
}

function formatLanguage(language: BoxCount['language']): string {
  if (language === null) return 'Earlier texts'
  return language === '' ? 'Main text' : getLanguageName(language)
}

/** Ticks not included in the share. */
export const countTicksApart = (counts: readonly BoxCount[]): number =>
  buildCountRows(counts).reduce((all, { channel, place, shown }) => {
    const found = counts.filter((each) => each.channel === channel && each.place === place)
    return shown === null ? all : all + found.reduce((sum, each) => sum + each.tickedAlone, 0)
  }, 0)

function useConsentBoxes() {
  const storeId = useStore()?.id
  return useQuery({ queryKey: ['consent-boxes', storeId], queryFn: ({ signal }) => call(consentBoxes, { signal }) })
}

function useConsentBoxCounts() {
  const storeId = useStore()?.id
  return useQuery({
    queryKey: ['consent-box-counts', storeId],
    queryFn: ({ signal }) => call(consentBoxCounts, { signal }),
  })
}

function useSaveBoxText() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (text: { channel: ConsentChannel; language?: (typeof boxLanguages)[number]; words: string }) =>
      call(saveBoxText, { body: text }),
    // Do not wait for the counts: the text field would miss that its text was saved.
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['consent-box-counts'] })
      return queries.invalidateQueries({ queryKey: ['consent-boxes'] })
    },
  })
}

const boxTitles = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' } as const

const LATER_MS = 5 * 60_000

/** Whether the tracking script sees a box: never, with this text, with another, or no longer. Pure. */
export function describeBox(
  { seenAt, isCurrent }: Pick<ConsentBox, 'seenAt' | 'isCurrent'>,
  checkoutSeenAt: string | null,
): { state: 'never' | 'current' | 'other' | 'gone'; label: string } {
  if (!seenAt) return { state: 'never', label: checkoutSeenAt ? 'Not on your checkout' : 'Not seen yet' }
  if (checkoutSeenAt && Date.parse(checkoutSeenAt) - Date.parse(seenAt) > LATER_MS) {
    return { state: 'gone', label: 'No longer on your checkout' }
  }
  return isCurrent
    ? { state: 'current', label: 'Seen' }
    : { state: 'other', label: 'Seen with different text, not counted' }
}
