import { Button, Card, FileButton, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import type { StoreView } from '../../../shared/access/stores.ts'
import type { BrandFields } from '../../../shared/messages/brand.ts'
import { type BrandView, brandTexts } from '../../../shared/workspace/brand-calls.ts'
import { announce } from '../../core/ui/announce.ts'
import { encodeBase64 } from '../../core/ui/encodeBase64.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { NotSaved } from '../../core/ui/NotSaved.tsx'
import { useAnswerProposal, useFindLogo, useRemoveLogo, useUploadLogo } from './queries.ts'
import { checkFile, checkWhileChosen, toPickerColour } from './rules.ts'
import type { BrandFormState } from './useBrandForm.ts'

interface Props {
  store: StoreView
  view: BrandView
  form: BrandFormState
  isFixed: boolean
}

export function LogoCard({ store, view, form, isFixed }: Props) {
  const ground = toPickerColour(form.values.ground)
  return (
    <Card component="section" aria-label="Logo">
      <Title order={2}>Logo</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        At the top of every email. PNG, JPEG or GIF, at most 300 KB. New emails use it at once.
      </Text>
      <Stack gap="md">
        {view.proposal && <Proposal storeId={store.id} proposal={view.proposal} ground={ground} isFixed={isFixed} />}
        {view.logo ? (
          <LogoImage logo={view.logo} ground={ground} name="Your logo" />
        ) : (
          <p className="brand-logo brand-name" style={buildNameStyle(form.values)}>
            {store.name}
          </p>
        )}
        {!isFixed && <Changes storeId={store.id} view={view} />}
        <TextInput
          label="Logo alt text"
          description="Read aloud, or shown when pictures are off"
          placeholder={store.name}
          disabled={isFixed}
          {...form.getInputProps('logoAlt')}
        />
      </Stack>
    </Card>
  )
}

/** The logo as mails show it; hidden if it cannot be loaded. */
const buildNameStyle = (brand: BrandFields) =>
  checkWhileChosen('text', brand) ? {} : { background: toPickerColour(brand.ground), color: toPickerColour(brand.text) }

function LogoImage({ logo, ground, name }: { logo: NonNullable<BrandView['logo']>; ground: string; name: string }) {
  return (
    <p className="brand-logo" style={{ background: ground }}>
      <img src={logo.path} width={logo.width} height={logo.height} alt={name} />
    </p>
  )
}

interface ProposalProps {
  storeId: string
  proposal: NonNullable<BrandView['proposal']>
  ground: string
  isFixed: boolean
}

function Proposal({ storeId, proposal, ground, isFixed }: ProposalProps) {
  const answer = useAnswerProposal(storeId)
  const say = (isUsed: boolean) =>
    answer.say(isUsed ? proposal.hash : null, () => announce(isUsed ? 'New emails use this logo' : 'Logo not used'))
  return (
    <Notice tone="info" title={`We found this ${proposal.source === 'site_logo' ? 'logo' : 'icon'} in your store.`}>
      <Stack gap="sm">
        <span>Use this logo in your emails?</span>
        <LogoImage logo={proposal.logo} ground={ground} name="Logo found in your store" />
        {answer.error && <NotSaved>{answer.error.message}</NotSaved>}
        {!isFixed && (
          <Group gap="xs">
            <Button
              size="sm"
              loading={answer.isPending && answer.variables !== null}
              disabled={answer.isPending}
              onClick={() => say(true)}
            >
              Use it
            </Button>
            <Button size="sm" variant="default" disabled={answer.isPending} onClick={() => say(false)}>
              Don’t use it
            </Button>
          </Group>
        )}
      </Stack>
    </Notice>
  )
}

function Changes({ storeId, view }: { storeId: string; view: BrandView }) {
  const [problem, setProblem] = useState<string | null>(null)
  const upload = useUploadLogo(storeId)
  const remove = useRemoveLogo(storeId)
  const find = useFindLogo(storeId)
  const isBusy = upload.isPending || remove.isPending || find.isPending
  const reportError = { onError: (error: Error) => setProblem(error.message) }
  const take = async (file: File | null) => {
    if (!file) return
    const found = checkFile(file)
    setProblem(found)
    if (!found)
      upload.mutate(await encodeBase64(file), {
        ...reportError,
        onSuccess: () => announce('New emails use this logo'),
      })
  }
  const findLogo = () => {
    setProblem(null)
    find.mutate(undefined, {
      ...reportError,
      onSuccess: ({ outcome }) => {
        if (outcome !== 'found') announce(outcome === 'used' ? brandTexts.alreadyUsed : brandTexts.noneFound)
      },
    })
  }
  return (
    <>
      {problem && <NotSaved>{problem}</NotSaved>}
      {!view.canUpload && <Notice tone="info">{brandTexts.demoLogo}</Notice>}
      <Group gap="xs">
        {view.canUpload && (
          <FileButton accept="image/png,image/jpeg,image/gif" onChange={take}>
            {(props) => (
              <Button {...props} variant="default" loading={upload.isPending} disabled={isBusy}>
                {view.logo ? 'Replace logo' : 'Upload logo'}
              </Button>
            )}
          </FileButton>
        )}
        <Button variant="default" loading={find.isPending} disabled={isBusy} onClick={findLogo}>
          Find in your store
        </Button>
        {view.logo && (
          <Button
            variant="default"
            loading={remove.isPending}
            disabled={isBusy}
            onClick={() => {
              setProblem(null)
              remove.mutate(undefined, {
                ...reportError,
                onSuccess: () => announce('New emails use the store’s name'),
              })
            }}
          >
            Remove logo
          </Button>
        )}
      </Group>
    </>
  )
}
