import { Button, Checkbox, FileButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPhotoUp } from '@tabler/icons-react'
import { BROKEN, getErrorText } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import type { FieldsProps } from './BlockSettings.tsx'
import { LinkField } from './LinkField.tsx'
import { useUploadImage } from './queries.ts'

/** A picture is uploaded, and described or marked as decorative. */
export function ImageSettings({ attrs, set }: FieldsProps) {
  const upload = useUploadImage()
  const isDecorative = attrs.isDecorative === true
  const alt = attrs.alt as string
  return (
    <Stack gap="md">
      <Group gap="sm">
        <FileButton
          accept="image/png,image/jpeg,image/gif"
          onChange={(file) => file && upload.mutate(file, { onSuccess: (image) => set({ ...image }) })}
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              loading={upload.isPending}
              leftSection={<IconPhotoUp size={16} aria-hidden />}
            >
              {attrs.asset ? 'Choose another picture' : 'Choose a picture'}
            </Button>
          )}
        </FileButton>
      </Group>
      <Text fz="xs" c="dimmed">
        PNG, JPEG or GIF. 1,200 px wide looks sharp on every screen.
      </Text>
      {upload.error && (
        <Notice tone="bad" isLive>
          {getErrorText(upload.error, BROKEN)}
        </Notice>
      )}
      <TextInput
        label="Description"
        description="Read aloud, and shown while pictures are blocked"
        maxLength={250}
        disabled={isDecorative}
        value={alt}
        error={!isDecorative && alt.trim() === '' ? 'Describe the picture, or mark it as decorative' : undefined}
        onChange={(event) => set({ alt: event.currentTarget.value })}
      />
      <Checkbox
        label="Only decoration"
        checked={isDecorative}
        onChange={(event) => set({ isDecorative: event.currentTarget.checked })}
      />
      <LinkField label="Leads to" isOptional value={attrs.href as string | null} onChange={(href) => set({ href })} />
    </Stack>
  )
}
