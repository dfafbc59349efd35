import type { ReactNode } from 'react'
import type { MethodId } from './install-methods.ts'

// Drawings of where to click in WordPress, in theme colors. Numbers are those of the steps.

export function InstallDrawing({ way, label }: { way: MethodId; label: string }) {
  return (
    <svg viewBox="0 0 340 212" role="img" aria-label={label} className="drawing">
      <rect x="0.5" y="0.5" width="339" height="211" rx="8" className="drawing-window" />
      {way === 'plugin' ? <PluginPage /> : <FileEditor way={way} />}
    </svg>
  )
}

function PluginPage() {
  return (
    <>
      <path d="M8.5 0.5h107v211h-107a8 8 0 0 1-8-8v-195a8 8 0 0 1 8-8z" className="drawing-side" />
      <Words at={[14, 24]}>Dashboard</Words>
      <Words at={[14, 46]}>WooCommerce</Words>
      <Words at={[14, 68]}>Plugins</Words>
      <Words at={[14, 90]} isStrong>
        Code Snippets
      </Words>
      <rect x="8" y="98" width="104" height="22" rx="5" className="drawing-chosen" />
      <Words at={[16, 113]} isStrong>
        Header & Footer
      </Words>
      <Marker at={[110, 98]} step={2} />
      <Words at={[130, 30]} isStrong>
        Header
      </Words>
      <rect x="130" y="40" width="192" height="52" rx="5" className="drawing-field" />
      <ScriptLine at={[138, 60]} />
      <Marker at={[320, 42]} step={3} />
      <Words at={[130, 114]}>Body</Words>
      <rect x="130" y="122" width="192" height="28" rx="5" className="drawing-field" />
      <PressHere at={[130, 168]} step={4}>
        Save Changes
      </PressHere>
    </>
  )
}

const files = {
  classic: ['style.css', 'functions.php', 'header.php'],
  block: ['style.css', 'theme.json', 'functions.php'],
}

function FileEditor({ way }: { way: 'classic' | 'block' }) {
  return (
    <>
      <Words at={[16, 24]} isStrong>
        Edit Themes
      </Words>
      <rect x="16" y="34" width="196" height="124" rx="5" className="drawing-field" />
      {way === 'classic' ? <HeaderFile /> : <FunctionsFile />}
      <Marker at={[210, way === 'classic' ? 104 : 98]} step={3} />
      <Words at={[226, 46]}>Theme Files</Words>
      <rect x="222" y="97" width="104" height="22" rx="5" className="drawing-chosen" />
      {files[way].map((file, place) => (
        <Words key={file} at={[230, 68 + place * 22]} isStrong={place === 2}>
          {file}
        </Words>
      ))}
      <Marker at={[324, 97]} step={2} />
      <PressHere at={[16, 170]} step={4}>
        Update File
      </PressHere>
    </>
  )
}

function HeaderFile() {
  return (
    <>
      <Code at={[24, 54]}>{'<head>'}</Code>
      <Code at={[32, 72]}>{'<?php wp_head(); ?>'}</Code>
      <ScriptLine at={[32, 108]} isMarked />
      <Code at={[24, 130]}>{'</head>'}</Code>
      <Code at={[24, 148]}>{'<body …>'}</Code>
    </>
  )
}

function FunctionsFile() {
  return (
    <>
      <Code at={[24, 54]}>{'<?php'}</Code>
      <rect x="20" y="82" width="188" height="62" rx="4" className="drawing-chosen" />
      <Code at={[24, 100]}>{"add_action( 'wp_head', …"}</Code>
      <ScriptLine at={[32, 118]} />
      <Code at={[24, 136]}>{'} );'}</Code>
    </>
  )
}

type Place = readonly [x: number, y: number]

function Words({ at: [x, y], isStrong, children }: { at: Place; isStrong?: boolean; children: string }) {
  return (
    <text x={x} y={y} className={isStrong ? 'drawing-strong' : 'drawing-words'}>
      {children}
    </text>
  )
}

function Code({ at: [x, y], children }: { at: Place; children: string }) {
  return (
    <text x={x} y={y} className="drawing-code">
      {children}
    </text>
  )
}

function ScriptLine({ at, isMarked }: { at: Place; isMarked?: boolean }) {
  return (
    <>
      {isMarked && <rect x="20" y={at[1] - 15} width="188" height="22" rx="4" className="drawing-chosen" />}
      <Code at={at}>{'<script src="…" defer>'}</Code>
    </>
  )
}

function PressHere({ at: [x, y], step, children }: { at: Place; step: number; children: ReactNode }) {
  return (
    <>
      <rect x={x} y={y} width="96" height="28" rx="6" className="drawing-button" />
      <text x={x + 48} y={y + 18} textAnchor="middle" className="drawing-press">
        {children}
      </text>
      <Marker at={[x + 96, y]} step={step} />
    </>
  )
}

function Marker({ at: [x, y], step }: { at: Place; step: number }) {
  return (
    <>
      <circle cx={x} cy={y} r="9.5" className="drawing-marker" />
      <text x={x} y={y + 4} textAnchor="middle" className="drawing-number">
        {step}
      </text>
    </>
  )
}
