import { Button, Group, Select, Stack, Text, Textarea, Title } from '@mantine/core'
import { useState } from 'react'
import { maxConsentWording } from '../../shared/consent.ts'
import { boxLanguages, type ConsentBox, languageName } from '../../shared/consent-box.ts'
import { useHasPermission, useStore } from '../access/queries.ts'
import { usePlugin } from '../stores/plugin-queries.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/Notice.tsx'
import { useSaveBoxText } from './box-queries.ts'

type Language = (typeof boxLanguages)[number]

/** Consent texts in further languages; all other languages use the default text. */
export function BoxLanguages({ box, isPlugin }: { box: ConsentBox; isPlugin: boolean }) {
  const [added, setAdded] = useState<Language | null>(null)
  const mayChange = useHasPermission('consent:write')
  const known = box.languages.map(({ language }) => language)
  const free = boxLanguages
    .filter((code) => !known.includes(code) && code !== added)
    .map((code) => ({ value: code, label: languageName(code) }))
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
        <LanguageText key={added} box={box} language={added} saved="" onGone={() => setAdded(null)} />
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
  isDefault?: boolean
  /** Choosing another language discards an empty one; edits must be saved first. */
  onGone?: () => void
  children?: React.ReactNode
}

function LanguageText({ box, language, saved, isDefault = false, onGone, children }: LanguageTextProps) {
  const [typed, setTyped] = useState(saved)
  const save = useSaveBoxText()
  const mayChange = useHasPermission('consent:write')
  const name = languageName(language)
  const write = (words: string) =>
    save.mutate(
      { channel: box.channel, language, words },
      {
        onSuccess: () => {
          announce(words === '' ? `${name} removed.` : `${name} saved.`)
          onGone?.()
        },
      },
    )
  const isChanged = typed.trim() !== saved && typed.trim() !== ''
  return (
    <Stack gap="xs">
      <Textarea
        label={`Text in ${name}`}
        description={isDefault ? 'The default text.' : undefined}
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
              Save {name}
            </Button>
          )}
          <Button
            size="sm"
            variant="default"
            loading={save.isPending}
            onClick={() => (saved === '' ? onGone?.() : write(''))}
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
