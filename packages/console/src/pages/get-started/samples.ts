import type { FirstRequest } from './request-of.ts'

/** A variable of the shell in place of a key that is no longer known. */
export const keyVariable = '$NOTIFY_KEY'

interface Sample {
  origin: string
  request: FirstRequest
  /** The name of the key in NOTIFY_KEY. */
  keyName: string
}

interface Language {
  name: string
  /** How to run the sample. */
  run: string
  code: (sample: Sample & { body: string; comment: string }) => string
}

/** The request in each language: every sample reads the key from NOTIFY_KEY and prints the answer. */
const languages = {
  curl: {
    name: 'curl',
    run: 'Run this in a shell',
    code: ({ origin, body, comment }) =>
      `# ${comment}\n${[
        `curl -sS ${origin}/api/v1/notifications`,
        `  -H "Authorization: Bearer ${keyVariable}"`,
        `  -H 'Content-Type: application/json'`,
        `  -d '${indented(body, 2).replaceAll("'", `'\\''`)}'`,
      ].join(' \\\n')}`,
  },
  node: {
    name: 'Node',
    run: 'Save it as send.mjs, then run: node send.mjs',
    code: ({ origin, body, comment }) => `// ${comment}
const response = await fetch('${origin}/api/v1/notifications', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.NOTIFY_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indented(body, 2)}),
})
console.log(response.status, await response.text())
`,
  },
  python: {
    name: 'Python',
    run: 'Save it as send.py, then run: python3 send.py',
    code: ({ origin, body, comment }) => `# ${comment}
import json, os, urllib.error, urllib.request

message = json.loads(${pythonText(body)})
request = urllib.request.Request(
    "${origin}/api/v1/notifications",
    data=json.dumps(message).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["NOTIFY_KEY"],
        "Content-Type": "application/json",
    },
)
try:
    with urllib.request.urlopen(request) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as refusal:
    print(refusal.code, refusal.read().decode())
`,
  },
  go: {
    name: 'Go',
    run: 'Save it as send.go, then run: go run send.go',
    code: ({ origin, body, comment }) => `// ${comment}
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := strings.NewReader(${goText(body)})
	request, err := http.NewRequest("POST", "${origin}/api/v1/notifications", body)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("NOTIFY_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.StatusCode, string(text))
}
`,
  },
  php: {
    name: 'PHP',
    run: 'Save it as send.php, then run: php send.php',
    code: ({ origin, body, comment }) => `<?php
// ${comment}
$request = curl_init('${origin}/api/v1/notifications');
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ' . getenv('NOTIFY_KEY'),
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => '${body.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}',
]);
$answer = curl_exec($request);
echo curl_getinfo($request, CURLINFO_RESPONSE_CODE), ' ', $answer, PHP_EOL;
`,
  },
} satisfies Record<string, Language>

export type LanguageKey = keyof typeof languages
export const languageKeys = Object.keys(languages) as LanguageKey[]
export const languageOf = (key: LanguageKey): Language => languages[key]

/** @returns a program, or a command for a POSIX shell, that sends the request */
export function sampleOf(language: LanguageKey, sample: Sample): string {
  const { request, keyName } = sample
  const comment = `Sends ${plain(request.event_key)} with the API key "${plain(keyName)}".`
  return languageOf(language).code({ ...sample, body: JSON.stringify(request, null, 2), comment })
}

/** A name that operators chose must not end a comment: it keeps letters, digits and few signs. */
const plain = (name: string) => name.replaceAll(/[^\p{L}\p{N} ._-]/gu, '_')

const indented = (text: string, by: number) => text.replaceAll('\n', `\n${' '.repeat(by)}`)
/** Raw, so that the escapes of JSON stay; a quote of three cannot occur in JSON but escaped. */
const pythonText = (body: string) => `r"""${body}"""`
/** A raw string of Go cannot hold a backquote. */
const goText = (body: string) => `\`${body.replaceAll('`', String.raw`\u0060`)}\``
