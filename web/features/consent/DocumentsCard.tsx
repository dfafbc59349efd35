import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { buildRetentionPath, type KeptLanguage, keptLanguages } from '../../../shared/workspace/kept.ts'
import {
  type DocumentName,
  documentNames,
  documentTitles,
  readPrivacyDocument,
} from '../../../shared/workspace/privacy-documents.ts'
import { call } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { saveText } from '../../core/ui/saveText.ts'

const languageNames: Record<KeptLanguage, string> = { en: 'English', de: 'German' }

/** Data protection documents to download, and the page a shop can link to. */
export function DocumentsCard({ captureKey }: { captureKey: string }) {
  const save = useMutation({
    mutationFn: (name: DocumentName) => call(readPrivacyDocument, { params: { name } }),
    onSuccess: ({ fileName, content }) => saveText(fileName, content),
  })
  return (
    <Card component="section" aria-label="Documents">
      <Title order={2}>Documents</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Filled in from your settings, in English, as Markdown text. Complete the blanks and have them checked: they are
        not legal advice.
      </Text>
      <Stack gap="md">
        <Group gap="sm">
          {documentNames.map((name) => (
            <Button
              key={name}
              variant="default"
              size="sm"
              loading={save.isPending && save.variables === name}
              onClick={() => save.mutate(name)}
            >
              {documentTitles[name]}
            </Button>
          ))}
        </Group>
        {save.error && (
          <Notice tone="bad" isLive title="The document could not be created">
            {save.error.message}
          </Notice>
        )}
        <Text fz="sm">
          <strong>What we keep about you</strong>, a page for your shoppers that your privacy policy can link to:{' '}
          {keptLanguages.map((language, index) => (
            <span key={language}>
              {index > 0 && ', '}
              <Anchor
                href={`${buildRetentionPath(captureKey)}?lang=${language}`}
                target="_blank"
                rel="noopener"
                fz="sm"
                underline="always"
              >
                {languageNames[language]}
              </Anchor>
            </span>
          ))}
          . The preference page links to it.
        </Text>
      </Stack>
    </Card>
  )
}
