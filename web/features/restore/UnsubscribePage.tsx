import { parseToken } from '../../../shared/carts/link-tokens.ts'
import './shopper.css'
import { Anchor, Button, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { z } from 'zod'
import type { Language } from '../../../shared/delivery/preferences.ts'
import type { readUnsubscribe } from '../../../shared/delivery/restore.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { shopperCopy } from './copy.ts'
import { LanguageChoice } from './LanguageChoice.tsx'
import { useUnsubscribe, useUnsubscribeInfo } from './queries.ts'
import { chooseLanguage } from './rules.ts'
import { ShopperFailed } from './ShopperFailed.tsx'
import { ShopperPage } from './ShopperPage.tsx'

/** Opening it changes nothing: mail scanners follow links; only the button unsubscribes (C3). */
export function UnsubscribePage() {
  const token = parseToken(useSearchParams()[0].get('token') ?? '')
  const about = useUnsubscribeInfo(token)
  const [chosen, setChosen] = useState<Language | null>(null)
  const language = chosen ?? about.data?.language ?? chooseLanguage(navigator.languages)
  const title = shopperCopy[language].unsubscribe
  return (
    <ShopperPage
      title={title}
      storeName={about.data?.storeName ?? null}
      brand={about.data?.brand ?? null}
      size={480}
      language={language}
    >
      {about.data ? (
        <Choice token={token} about={about.data} language={language} />
      ) : (
        <ShopperFailed token={token} title={title} language={language} error={about.error} onRetry={about.refetch} />
      )}
      <LanguageChoice language={language} onChoose={setChosen} />
    </ShopperPage>
  )
}

type About = z.output<typeof readUnsubscribe.reply>

function Choice({ token, about, language }: { token: string; about: About; language: Language }) {
  const change = useUnsubscribe(token)
  const { storeName, address, isUnsubscribed, preferencesToken } = about
  const copy = shopperCopy[language]
  return (
    <Stack gap="lg">
      <Title order={1}>{isUnsubscribed ? copy.isUnsubscribed : copy.unsubscribe}</Title>
      <Text role="status">
        {isUnsubscribed ? (
          <>
            <strong>{address}</strong>
            {copy.done[0]}
            {storeName}
            {copy.done[1]}
          </>
        ) : (
          <>
            {copy.ask[0]}
            {storeName}
            {copy.ask[1]}
            <strong>{address}</strong>
            {copy.ask[2]}
          </>
        )}
      </Text>
      {change.error && (
        <Notice tone="bad" isLive>
          {language === 'en' ? change.error.message : copy.failed}
        </Notice>
      )}
      {isUnsubscribed ? (
        <div>
          <Text fz="sm" c="dimmed" mb="xs">
            {copy.byMistake}
          </Text>
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate(false)}>
            {copy.subscribeAgain}
          </Button>
        </div>
      ) : (
        <Button size="md" loading={change.isPending} onClick={() => change.mutate(true)}>
          {copy.unsubscribe}
        </Button>
      )}
      <Anchor component={Link} to={`/preferences?token=${encodeURIComponent(preferencesToken)}`} fz="sm">
        {copy.preferences}
      </Anchor>
    </Stack>
  )
}
