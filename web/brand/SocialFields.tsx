import { ActionIcon, Button, Card, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type SocialKind, socialKinds } from '../../shared/brand.ts'
import { listUnusedKinds } from './rules.ts'
import type { BrandFormState } from './useBrandForm.ts'

export function SocialFields({ form, isFixed }: { form: BrandFormState; isFixed: boolean }) {
  const { social } = form.values
  const [next] = listUnusedKinds(form.values)
  return (
    <Card component="section" aria-label="Social links">
      <Title order={2}>Social links</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        {social.length > 0 ? 'In the footer, in this order.' : 'Your pages elsewhere, in the footer. None yet.'}
      </Text>
      <Stack gap="sm">
        {social.map(({ kind }, index) => (
          <SocialRow key={kind} form={form} index={index} isFixed={isFixed} />
        ))}
        {!isFixed && next && (
          <Button
            variant="default"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => form.insertListItem('social', { kind: next, url: '' })}
          >
            Add link
          </Button>
        )}
      </Stack>
    </Card>
  )
}

function SocialRow({ form, index, isFixed }: { form: BrandFormState; index: number; isFixed: boolean }) {
  const { kind } = form.values.social[index]!
  const choices = [kind, ...listUnusedKinds(form.values)]
  const { name, hosts } = socialKinds[kind]
  return (
    <div className="brand-social">
      <NativeSelect
        aria-label={`Kind of link ${index + 1}`}
        data={choices.map((value) => ({ value, label: socialKinds[value].name }))}
        disabled={isFixed}
        value={kind}
        onChange={(event) => form.setFieldValue(`social.${index}.kind`, event.currentTarget.value as SocialKind)}
      />
      <TextInput
        aria-label={`Address of ${name}`}
        placeholder={`https://www.${hosts[0]}/your-shop`}
        type="url"
        spellCheck={false}
        disabled={isFixed}
        {...form.getInputProps(`social.${index}.url`)}
      />
      {!isFixed && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={`Remove ${name}`}
          onClick={() => form.removeListItem('social', index)}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      )}
    </div>
  )
}
