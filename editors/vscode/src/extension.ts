/** Starts devlint's language server, and again where settings say that it is another one. */

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, TransportKind } from "vscode-languageclient/node";
import { advice, type Command, commands, firstThatRuns, forServer } from "./command";

const LANGUAGES = [
  "python",
  "shellscript",
  "dockerfile",
  "makefile",
  "yaml",
  "toml",
  "dotenv",
  "markdown",
  "restructuredtext",
];
const STARTING = ["devlint.path", "devlint.interpreter"];

let client: LanguageClient | undefined;
let last: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const channel = vscode.window.createOutputChannel("devlint", { log: true });
  const restart = (): Promise<void> => {
    last = last.then(stop).then(() => start(channel));
    return last;
  };
  context.subscriptions.push(
    channel,
    vscode.commands.registerCommand("devlint.restart", restart),
    vscode.commands.registerCommand("devlint.fixAll", fixAll),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (STARTING.some((setting) => event.affectsConfiguration(setting))) {
        await restart();
      }
    }),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await last.then(stop);
}

async function start(channel: vscode.LogOutputChannel): Promise<void> {
  const settings = vscode.workspace.getConfiguration("devlint");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const candidates = commands({
    path: settings.get("path"),
    interpreter: settings.get("interpreter"),
    active: await activeInterpreter(),
    folder,
    home: homedir(),
  });
  const command = await firstThatRuns(candidates, runs);
  if (command === undefined) {
    void vscode.window.showErrorMessage(advice(candidates));
    return;
  }
  client = makeClient(command, channel);
  await client.start();
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

function makeClient(command: Command, channel: vscode.LogOutputChannel): LanguageClient {
  const server = { command: command.program, args: [...command.arguments], transport: TransportKind.stdio };
  const options: LanguageClientOptions = {
    documentSelector: [
      ...LANGUAGES.map((language) => ({ scheme: "file", language })),
      { scheme: "untitled", language: "python" },
    ],
    outputChannel: channel,
    middleware: {
      workspace: {
        configuration: async (params, token, next) => {
          const found = await next(params, token);
          return Array.isArray(found)
            ? found.map((one, index) => forServer(one, folderOf(params.items[index]?.scopeUri), homedir()))
            : found;
        },
      },
    },
  };
  return new LanguageClient("devlint", "devlint", server, options);
}

function folderOf(scope: string | undefined): string | undefined {
  const folder = scope === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(scope));
  return (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
}

/** The interpreter that the Python extension has chosen, if there is one. */
async function activeInterpreter(): Promise<string | undefined> {
  const python = vscode.extensions.getExtension("ms-python.python");
  if (python === undefined) {
    return undefined;
  }
  const api = await python.activate();
  const environments = api?.environments;
  const path = environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  const environment = path && (await environments.resolveEnvironment(path));
  return environment?.executable?.uri?.fsPath;
}

function runs(program: string, parameters: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, [...parameters], { timeout: 20_000 }, (error) => resolve(error === null));
  });
}

async function fixAll(): Promise<void> {
  await vscode.commands.executeCommand("editor.action.codeAction", { kind: "source.fixAll.devlint", apply: "first" });
}
