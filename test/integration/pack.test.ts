/** The packed tarball, installed elsewhere: its `respd` command serves, and its `createServer` can be imported. */
import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Connection } from '../support/connection.ts'
import { accepting, ended, freePort } from '../support/oracle.ts'
import { manifest, readManifest, root } from '../support/server.ts'

const run = promisify(execFile)
const INSTALL_MS = 120_000

describe('the npm package', () => {
  let app = ''

  beforeAll(async () => {
    app = mkdtempSync(path.join(tmpdir(), 'respd-pack-'))
    writeFileSync(path.join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
    await run('npm', ['pack', '--silent', '--pack-destination', app], { cwd: root })
    const tarball = readdirSync(app).find((name) => name.endsWith('.tgz')) as string
    await install(app, tarball)
  }, INSTALL_MS)
  afterAll(() => rmSync(app, { recursive: true, force: true }))

  test('holds what users need and nothing else', async () => {
    const installed = readdirSync(path.join(app, 'node_modules/respd'))
    expect(installed.toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'redis.conf.example'])
    const dist = readdirSync(path.join(app, 'node_modules/respd/dist'))
    expect(dist).toEqual(expect.arrayContaining(['index.d.ts', 'index.d.cts']))
  })

  test('respd --version', async () => {
    const { stdout } = await run(path.join(app, 'node_modules/.bin/respd'), ['--version'])
    expect(stdout).toContain(manifest.version)
  })

  test('the respd command serves', async () => {
    const port = await freePort()
    const child = spawn(path.join(app, 'node_modules/.bin/respd'), ['--port', String(port)], { cwd: app })
    expect(await accepting(child)).toBe(true)
    const connection = await Connection.open({ port })
    expect(await connection.get('PING')).toBe('PONG')
    connection.close()
    const exit = new Promise((resolve) => child.once('exit', resolve))
    await ended(child, 'SIGTERM')
    expect(await exit).toBe(0)
  })

  test('createServer is exported', async () => {
    const program = `
      import { createServer } from 'respd'
      const server = await createServer({ port: 0 })
      console.log(server.port > 0, server.url)
      await server.close()
    `
    writeFileSync(path.join(app, 'embed.js'), program)
    const { stdout } = await run(process.execPath, ['embed.js'], { cwd: app, timeout: 20_000 })
    expect(stdout).toMatch(/^true redis:\/\/127\.0\.0\.1:\d+/)
  })

  test('require takes it too', async () => {
    const program = `
      const { createServer } = require('respd')
      createServer().then((server) => {
        console.log(server.port > 0)
        return server.close()
      })
    `
    writeFileSync(path.join(app, 'embed.cjs'), program)
    const { stdout } = await run(process.execPath, ['embed.cjs'], { cwd: app, timeout: 20_000 })
    expect(stdout).toBe('true\n')
  })
})

/** Installs from the npm cache or the registry; without either, copies the dependencies of this project beside the unpacked tarball. */
async function install(app: string, tarball: string): Promise<void> {
  for (const source of ['--offline', '--prefer-offline']) {
    const ok = await run('npm', ['install', source, '--no-audit', '--no-fund', `./${tarball}`], {
      cwd: app,
      timeout: INSTALL_MS / 3,
    }).catch(() => undefined)
    if (ok) return
  }
  const modules = path.join(app, 'node_modules')
  mkdirSync(path.join(modules, 'respd'), { recursive: true })
  mkdirSync(path.join(modules, '.bin'))
  await run('tar', ['-xzf', tarball, '-C', path.join(modules, 'respd'), '--strip-components', '1'], { cwd: app })
  for (const name of dependenciesOf(manifest.dependencies))
    cpSync(path.join(root, 'node_modules', name), path.join(modules, name), { recursive: true })
  const command = `#!/bin/sh\nexec "${process.execPath}" "${modules}/respd/dist/main.js" "$@"\n`
  writeFileSync(path.join(modules, '.bin/respd'), command, { mode: 0o755 })
}

/** The names of the packages and of what they depend on themselves. */
function dependenciesOf(wanted: Record<string, string>): string[] {
  const names = new Set<string>()
  const add = (dependencies: Record<string, string>): void => {
    for (const name of Object.keys(dependencies)) {
      if (names.has(name)) continue
      names.add(name)
      add(readManifest(path.join(root, 'node_modules', name)).dependencies ?? {})
    }
  }
  add(wanted)
  return [...names]
}
