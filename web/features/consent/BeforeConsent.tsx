import { Button, Card, Group, Radio, Stack, Text, Textarea, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import { getCountryName } from '../../../shared/insights/analytics-definitions.ts'
import {
  type CaptureMode,
  type CaptureModeView,
  captureModes,
  captureModeTexts,
  chooseCaptureMode,
  isStoringMore,
  readCaptureMode,
} from '../../../shared/shoppers/capture-mode.ts'
import { groundLimits } from '../../../shared/shoppers/consent.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { connectionQuery, useHasPermission, useStore } from '../../core/access/queries.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { DateTime } from '../../core/ui/Time.tsx'

/** Setting for what is stored about shoppers before they consent. */
export function BeforeConsent() {
  const mode = useCaptureMode()
  return (
    <Card>
      <Title order={2}>Before consent</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md" maw={680}>
        What is stored until a shopper accepts your cookie banner, ticks a box or buys. This includes unpaid orders,
        open checkouts and customers from your store. The script and the plugin support the WP Consent API; the script
        also supports Cookiebot, Google’s consent mode and Shopify’s customer privacy. After a refusal, they report only
        that a box was unticked.
      </Text>
      {mode.isPending ? (
        <LoadingList count={3} />
      ) : mode.error ? (
        <Failed title="The setting could not be loaded" error={mode.error} onRetry={() => mode.refetch()} />
      ) : (
        <Choice view={mode.data} />
      )}
    </Card>
  )
}

function Choice({ view }: { view: CaptureModeView }) {
  const mayChange = useHasPermission('consent:write')
  const choose = useChooseCaptureMode()
  const [chosen, setChosen] = useState<CaptureMode>(view.mode)
  const [legalGround, setLegalGround] = useState('')
  useDraft('capture-mode', legalGround || null, setLegalGround)
  const needsGround = isStoringMore(chosen, view.usual)
  const isGroundShort = needsGround && legalGround.trim().length < groundLimits.min
  const isNews = chosen !== view.mode || !view.isChosen
  const problem = choose.error instanceof ApiError ? choose.error.fields.legalGround : undefined
  return (
    <Stack gap="md" maw={680}>
      {!view.isChosen && (
        <Notice tone="warn" title="Please choose">
          Your store was connected before this setting existed. Until you choose, Recoup stores cart and contact.
        </Notice>
      )}
      <Radio.Group
        aria-label="Data stored before consent"
        value={chosen}
        onChange={(value) => setChosen(value as CaptureMode)}
      >
        <Stack gap="sm">
          {captureModes.map((mode) => (
            <Radio
              key={mode}
              value={mode}
              disabled={!mayChange}
              label={captureModeTexts[mode].title + (mode === view.usual ? ' (recommended)' : '')}
              description={captureModeTexts[mode].sentence}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Text fz="sm" c="dimmed">
        {explainUsual(view)}
      </Text>
      {mayChange && needsGround && isNews && (
        <Textarea
          label="Which law, agreement or advice allows this?"
          description={`At least ${groundLimits.min} characters. It is recorded with your name and the date.`}
          autosize
          minRows={3}
          maxLength={groundLimits.max}
          value={legalGround}
          error={problem}
          onChange={(event) => setLegalGround(event.currentTarget.value)}
        />
      )}
      {choose.error && !problem && (
        <Notice tone="bad" title="Your choice could not be saved" isLive>
          {choose.error.message}
        </Notice>
      )}
      {mayChange && (
        <Group>
          <Button
            loading={choose.isPending}
            disabled={!isNews || isGroundShort}
            onClick={() =>
              choose.mutate(
                { mode: chosen, ...(needsGround && { legalGround }) },
                { onSuccess: () => setLegalGround('') },
              )
            }
          >
            Save
          </Button>
          {choose.isSuccess && !isNews && (
            <Text fz="sm" c="dimmed" role="status">
              Saved. Your shop’s pages use this within an hour.
            </Text>
          )}
        </Group>
      )}
      {view.choices.length > 0 && <Choices choices={view.choices} />}
    </Stack>
  )
}

function Choices({ choices }: { choices: CaptureModeView['choices'] }) {
  return (
    <section aria-labelledby="capture-choices">
      <Title order={3} id="capture-choices">
        Earlier choices
      </Title>
      <Stack component="ul" gap="xs" mt="xs" pl="md">
        {choices.map((choice) => (
          <li key={choice.at}>
            <Text fz="sm">
              {captureModeTexts[choice.mode].title}: {choice.by}, <DateTime at={choice.at} />
            </Text>
            {choice.legalGround && (
              <Text fz="sm" c="dimmed">
                {choice.legalGround}
              </Text>
            )}
          </li>
        ))}
      </Stack>
    </section>
  )
}

/** Explains the recommended choice. Pure. */
function explainUsual({ usual, strictCountries }: Pick<CaptureModeView, 'usual' | 'strictCountries'>): string {
  if (usual === 'cart_and_contact') return 'No country you sell to requires consent first.'
  if (strictCountries === null)
    return 'Your store sells worldwide. The European Union, the United Kingdom and Switzerland require consent first.'
  const [first, second, third] = strictCountries.map(getCountryName)
  const named =
    strictCountries.length > 3
      ? `${first}, ${second} and ${strictCountries.length - 2} more countries`
      : [first, second, third].filter(Boolean).join(', ')
  return `You sell to ${named}, where the law requires consent first.`
}

const buildModeKey = (storeId: string | undefined) => ['capture-mode', storeId]

function useCaptureMode() {
  const storeId = useStore()?.id
  return useQuery({ queryKey: buildModeKey(storeId), queryFn: ({ signal }) => call(readCaptureMode, { signal }) })
}

function useChooseCaptureMode() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: z.input<typeof chooseCaptureMode.body>) => call(chooseCaptureMode, { body }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['capture-mode'] }),
        // The store's data includes whether the setting was chosen.
        queries.invalidateQueries({ queryKey: connectionQuery.queryKey }),
      ]),
  })
}
