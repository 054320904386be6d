import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { Created, Deleted, Fetched, InStage, Paged, Resource, Updated } from '../../src/api/decorators.js';
import { Refuses } from '../../src/api/errors.js';
import { RunOnce } from '../../src/api/idempotency/repeatable.js';
import type { Page } from '../../src/api/pages.js';
import { ListSamplesQuery, NewSampleDto, SampleChangeDto, SampleDto, SamplePath } from './dto/sample.dto.js';
import {
  NEW_SAMPLE_EXAMPLES,
  SAMPLE_CHANGE_EXAMPLES,
  SAMPLE_EXAMPLES,
  SAMPLES_EXAMPLES,
} from './dto/sample.examples.js';
import { sampleNameTaken } from './samples.errors.js';
import { SamplesService } from './samples.service.js';

@Resource('samples', 'The samples')
@InStage('experimental')
@Controller('samples')
export class SamplesController {
  constructor(private readonly samples: SamplesService) {}

  @Get()
  @ApiOperation({ summary: 'List all samples', description: 'In ascending order of id, a page at a time.' })
  @Paged({ name: 'Samples', type: SampleDto, description: 'A page of samples.', examples: SAMPLES_EXAMPLES })
  async listSamples(@Query() query: ListSamplesQuery): Promise<Page<SampleDto>> {
    return (await this.samples.list(query)).map((sample) => SampleDto.from(sample));
  }

  @Post()
  @ApiOperation({ summary: 'Add a sample', description: 'Adds a sample and assigns its id.' })
  @ApiBody({ type: NewSampleDto, examples: NEW_SAMPLE_EXAMPLES })
  @Created({ type: SampleDto, description: 'The sample that was added.', examples: SAMPLE_EXAMPLES })
  @Refuses(sampleNameTaken)
  createSample(@Body() newSample: NewSampleDto, @RunOnce() runOnce: RunOnce): Promise<SampleDto> {
    return runOnce(async (manager) => SampleDto.from(await this.samples.add(newSample, manager)));
  }

  @Get(':sampleId')
  @ApiOperation({ summary: 'Get a sample', description: 'Returns the sample with this id.' })
  @Fetched({ type: SampleDto, description: 'The sample.', examples: SAMPLE_EXAMPLES })
  async getSample(@Param() { sampleId }: SamplePath): Promise<SampleDto> {
    return SampleDto.from(await this.samples.get(sampleId));
  }

  @Patch(':sampleId')
  @ApiOperation({ summary: 'Change a sample', description: 'Changes the fields that are sent.' })
  @ApiBody({ type: SampleChangeDto, examples: SAMPLE_CHANGE_EXAMPLES })
  @Updated({ type: SampleDto, description: 'The changed sample.', examples: SAMPLE_EXAMPLES })
  @Refuses(sampleNameTaken)
  updateSample(
    @Param() { sampleId }: SamplePath,
    @Body() sampleChange: SampleChangeDto,
    @RunOnce() runOnce: RunOnce,
  ): Promise<SampleDto> {
    return runOnce(async (manager) => SampleDto.from(await this.samples.update(sampleId, sampleChange, manager)));
  }

  @Delete(':sampleId')
  @ApiOperation({ summary: 'Delete a sample', description: 'Deletes the sample with this id.' })
  @Deleted({ description: 'The sample was deleted.' })
  deleteSample(@Param() { sampleId }: SamplePath, @RunOnce() runOnce: RunOnce): Promise<void> {
    return runOnce((manager) => this.samples.delete(sampleId, manager));
  }
}
